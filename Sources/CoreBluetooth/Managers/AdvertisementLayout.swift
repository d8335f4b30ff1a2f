// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// The octets of an advertisement: flags and as many services as fit in the first packet, the name in the scan
/// response.
///
/// A UUID keeps the length that it was made with. Core Supplement, Part A, 1.1 to 1.3; 31 octets each.
struct AdvertisementLayout {
    static let limit = 31

    /// LE General Discoverable, no BR/EDR.
    private(set) var data: [UInt8] = [0x02, 0x01, 0x06]
    private(set) var scanResponse: [UInt8] = []
    /// Services that are in it.
    private(set) var services: [BluetoothUUID] = []
    /// How many services did not fit.
    private(set) var dropped = 0

    init(name: String?, services: [CBUUID]) {
        for (size, complete) in [(2, UInt8(0x03)), (4, 0x05), (16, 0x07)] {
            append(services.filter { $0.size == size }, size: size, complete: complete)
        }
        if let name, !name.isEmpty { append(Array(name.utf8)) }
    }

    /// An iBeacon: UUID, major, minor and measured power, 21 octets.
    init(beacon: [UInt8]) { data += [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + beacon }

    private mutating func append(_ list: [CBUUID], size: Int, complete: UInt8) {
        guard !list.isEmpty else { return }
        let fitting = list.prefix(max(0, Self.limit - data.count - 2) / size)
        dropped += list.count - fitting.count
        guard !fitting.isEmpty else { return }
        let octets = fitting.flatMap { Array($0.data.reversed()) }
        data += [UInt8(octets.count + 1), fitting.count == list.count ? complete : complete - 1] + octets
        services += fitting.map(\.value)
    }

    private mutating func append(_ name: [UInt8]) {
        var count = min(name.count, Self.limit - 2)
        // A shortened name ends between two characters.
        while count > 0, count < name.count, name[count] & 0xC0 == 0x80 { count -= 1 }
        guard count > 0 else { return }
        scanResponse = [UInt8(count + 1), count == name.count ? 0x09 : 0x08] + name[..<count]
    }
}
