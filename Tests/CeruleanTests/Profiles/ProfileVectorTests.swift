// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanWire
import Foundation
import Testing

/// Runs the `decode` cases of Tests/Vectors/profiles.json whose characteristic is known.
@Suite struct ProfileVectorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var id: String
        var uuid: BluetoothUUID
        var bytes: [UInt8]
        var signalCount: Int?
        var expected: FieldValue
        var testDescription: String { id }
    }

    static let cases: [Case] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/profiles.json")
        guard let data = try? Data(contentsOf: file),
            let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let list = root["cases"] as? [[String: Any]]
        else { return [] }
        return list.compactMap { entry in
            guard entry["kind"] as? String == "decode", let text = entry["characteristic"] as? String,
                let uuid = BluetoothUUID(text), let hex = entry["hex"] as? String, let bytes = try? Hex.decode(hex),
                let id = entry["id"] as? String
            else { return nil }
            let options = entry["options"] as? [String: Any]
            return Case(
                id: id, uuid: uuid, bytes: bytes, signalCount: options?["signalCount"] as? Int,
                expected: value(entry["expect"]))
        }
    }()

    static func value(_ any: Any?) -> FieldValue {
        switch any {
        case let text as String: .text(text)
        case let number as NSNumber:
            String(cString: number.objCType) == "c" ? .bool(number.boolValue) : .number(number.doubleValue)
        case let list as [Any]: .list(list.map { value($0) })
        case let object as [String: Any]: .object(object.map { .init($0.key, value($0.value)) })
        default: .null
        }
    }

    /// Compares without regard to the order of members; numbers within one part in a million.
    static func equal(_ a: FieldValue, _ b: FieldValue) -> Bool {
        switch (a, b) {
        case (.object(let x), .object(let y)):
            return x.count == y.count
                && x.allSatisfy { member in b[member.name].map { equal(member.value, $0) } ?? false }
        case (.list(let x), .list(let y)): return x.count == y.count && zip(x, y).allSatisfy { equal($0, $1) }
        default: break
        }
        guard let x = number(a), let y = number(b) else { return a == b }
        return abs(x - y) <= max(1e-9, 1e-6 * abs(y))
    }

    static func number(_ value: FieldValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    static let known = cases.filter { KnownCharacteristics.isKnown($0.uuid) }

    @Test func findsTheCases() {
        #expect(Self.cases.count == 91)
        #expect(Self.known.count >= 30)
    }

    @Test(arguments: known)
    func decodesTheVector(vector: Case) throws {
        let decoded = try #require(
            KnownCharacteristics.decoded(
                uuid: vector.uuid, bytes: vector.bytes, options: .init(signalCount: vector.signalCount)))
        if let error = vector.expected["error"] {
            #expect(error == "truncated")
            #expect(decoded.fault?.reason == .truncated)
        } else {
            #expect(decoded.fault == nil)
            #expect(Self.equal(decoded.value, vector.expected), "\(decoded.value) is not \(vector.expected)")
        }
    }
}
