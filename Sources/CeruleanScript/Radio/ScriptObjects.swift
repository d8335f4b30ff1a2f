// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// Numbers for the objects that scripts have proxies of. An object is kept until the script has let its proxy go.
struct ScriptObjects {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var objects: [Int: AnyObject] = [:]
    private var last = 0

    mutating func number(of object: AnyObject) -> Int {
        if let known = numbers[ObjectIdentifier(object)] { return known }
        last += 1
        numbers[ObjectIdentifier(object)] = last
        objects[last] = object
        return last
    }

    mutating func forget(_ number: Int) {
        guard let object = objects.removeValue(forKey: number) else { return }
        numbers[ObjectIdentifier(object)] = nil
    }

    mutating func removeAll() {
        numbers = [:]
        objects = [:]
    }

    subscript(number: Int) -> AnyObject? { objects[number] }
    var count: Int { objects.count }
}
