// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The dictionaries of strings in which BlueCap's profiles show and take values: for programs that were written for
/// them.
///
/// Names, spelling and signs are BlueCap's, errors included; nothing else in this library uses them.
public enum BlueCapStrings {
    /// A value as strings; nil where BlueCap rejects the octets or knows no such characteristic.
    public static func strings(of uuid: BluetoothUUID, _ bytes: [UInt8]) -> [(name: String, text: String)]? {
        layout(of: uuid)?.strings(bytes)
    }

    /// The octets for strings; nil where BlueCap rejects them or knows no such characteristic.
    public static func bytes(of uuid: BluetoothUUID, from strings: [String: String]) -> [UInt8]? {
        layout(of: uuid)?.bytes(strings)
    }

    // MARK: - Private

    private static func layout(of uuid: BluetoothUUID) -> Layout? {
        if let known = sensors[uuid] { return known }
        if let known = texts[uuid] { return .text(known) }
        return own[uuid]
    }

    private static let texts: [BluetoothUUID: String] = [
        0x2A24: "Device Model Number", 0x2A25: "Device Serial Number", 0x2A26: "Device Firmware Revision",
        0x2A27: "Device Hardware Revision", 0x2A28: "Device Software Revision", 0x2A29: "Device Manufacturer Name",
        "2F0A0001-69AA-F316-3E78-4194989A6C1A": "Hello World Greeting",
    ]

    private static let own: [BluetoothUUID: Layout] = [
        0x2A19: .number("Battery Level", .unsigned8), 0x2A07: .number("Tx Power Level", .signed8),
        0xFFE1: .choice("Key Pressed", ["None", "Button One", "Button Two"]),
        "2F0A0002-69AA-F316-3E78-4194989A6C1A": .number("Update Period", .unsigned16),
        "2F0A0004-69AA-F316-3E78-4194989A6C1A": .scaled([.init("temperature", .signed16) { "\($0 / 4)" }]),
        "2F0A0006-69AA-F316-3E78-4194989A6C1A": .address,
        "2F0A0007-69AA-F316-3E78-4194989A6C1A": .choice(
            "BLE Address Type",
            ["Unknown", "Public", "RandomStatic", "RandomPrivateResolvable", "RandomPrivateUnresolvable"]),
        "2F0A0017-69AA-F316-3E78-4194989A6C1A": .scaled([
            .init("latitude", .signed16) { "\($0 * 100)" }, .init("longitude", .signed16) { "\($0 * 100)" },
        ]),
    ]

    private static let sensors: [BluetoothUUID: Layout] = {
        func axes(_ form: Form, _ scale: Double) -> Layout {
            .scaled([
                .init("x", form) { decimals(-$0 * scale) }, .init("y", form) { decimals(-$0 * scale) },
                .init("z", form) { decimals($0 * scale) },
            ])
        }
        var table: [UInt16: Layout] = [
            0xAA01: .infrared, 0xAA11: axes(.signed8, 1 / 64), 0xAA31: axes(.signed16, 2000 / 65536),
            0xAA51: axes(.signed16, 500 / 65536),
            0xAA21: .scaled([
                .init("temperature", .unsigned16) { decimals(-46.86 + 175.72 / 65536 * $0) },
                .init("humidity", .unsigned16) { decimals(-6 + 125 / 65536 * $0) },
            ]),
            0xAA41: .scaled([.init("temperature", .signed16), .init("pressure", .unsigned16)]),
            0xAA43: .constants, 0xAA61: .test,
            0xAA42: .choice("Baraometer Enabled", ["No", "Yes", "Calibrate"]),
            0xAA52: .choice(
                "Gyroscope Enabled",
                ["No", "XAxis", "YAxis", "XYAxis", "ZAxis", "XZAxis", "YZAxis", "XYZAxis"]),
        ]
        let switches: [(UInt16, String)] = [
            (0xAA02, "Temperature"), (0xAA12, "Accelerometer"), (0xAA22, "Hygrometer"), (0xAA32, "Magnetometer"),
            (0xAA62, "Test"),
        ]
        for (number, name) in switches { table[number] = .choice("\(name) Enabled", ["No", "Yes"]) }
        for number: UInt16 in [0xAA13, 0xAA33] {
            table[number] = .scaled([.init("period", .unsigned8) { "\($0 == 0 ? 10 : Int($0) * 10)" }])
        }
        return Dictionary(uniqueKeysWithValues: table.map { (SensorTag.uuid($0), $1) })
    }()

    /// Two digits behind the point.
    private static func decimals(_ value: Double) -> String {
        let hundredths = (abs(value) * 100).rounded(.toNearestOrEven)
        let whole = Int(hundredths)
        let rest = whole % 100
        let sign = value < 0 && whole > 0 ? "-" : value.sign == .minus ? "-" : ""
        return "\(sign)\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// How a number stands in the octets, low octet first.
    fileprivate enum Form: Sendable {
        case unsigned8, signed8, unsigned16, signed16

        var size: Int { self == .unsigned8 || self == .signed8 ? 1 : 2 }

        func read(_ bytes: ArraySlice<UInt8>) -> Int {
            let low = bytes[bytes.startIndex]
            switch self {
            case .unsigned8: return Int(low)
            case .signed8: return Int(Int8(bitPattern: low))
            case .unsigned16: return Int(low) | Int(bytes[bytes.startIndex + 1]) << 8
            case .signed16: return Int(Int16(bitPattern: UInt16(low) | UInt16(bytes[bytes.startIndex + 1]) << 8))
            }
        }

        func bytes(_ text: String?) -> [UInt8]? {
            guard let text else { return nil }
            switch self {
            case .unsigned8: return UInt8(text).map { [$0] }
            case .signed8: return Int8(text).map { [UInt8(bitPattern: $0)] }
            case .unsigned16: return UInt16(text).map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            case .signed16:
                return Int16(text).map { UInt16(bitPattern: $0) }.map {
                    [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
                }
            }
        }
    }

    /// A number with its raw form beside it.
    fileprivate struct Number: Sendable {
        var name: String
        var form: Form
        var show: (@Sendable (Double) -> String)?

        init(_ name: String, _ form: Form, show: (@Sendable (Double) -> String)? = nil) {
            self.name = name
            self.form = form
            self.show = show
        }
    }

    private enum Layout: Sendable {
        case text(String)
        case number(String, Form)
        case choice(String, [String])
        case scaled([Number])
        case infrared, constants, test, address

        func strings(_ bytes: [UInt8]) -> [(name: String, text: String)]? {
            switch self {
            case .text(let name): return String(validating: bytes, as: UTF8.self).map { [(name, $0)] }
            case .number(let name, let form):
                guard bytes.count == form.size else { return nil }
                return [(name, "\(form.read(bytes[...]))")]
            case .choice(let name, let words):
                guard bytes.count == 1, Int(bytes[0]) < words.count else { return nil }
                return [(name, words[Int(bytes[0])])]
            case .scaled(let numbers):
                guard bytes.count == numbers.reduce(0, { $0 + $1.form.size }) else { return nil }
                var pairs: [(String, String)] = []
                var start = 0
                for number in numbers {
                    let raw = number.form.read(bytes[start...])
                    start += number.form.size
                    if let show = number.show { pairs.append((number.name, show(Double(raw)))) }
                    pairs.append((number.name + "Raw", "\(raw)"))
                }
                return pairs
            case .infrared:
                let decoding = SensorTag.Decoding(model: .cc2541)
                guard bytes.count == 4, let reading = try? decoding.decode(bytes, of: .irTemperature),
                    case .irTemperature(let ambient, let object) = reading
                else { return nil }
                return [
                    ("object", decimals(object ?? .zero)), ("ambient", decimals(ambient)),
                    ("objectRaw", "\(Form.signed16.read(bytes[0...]))"),
                    ("ambientRaw", "\(Form.signed16.read(bytes[2...]))"),
                ]
            case .constants:
                guard bytes.count == 16 else { return nil }
                return (0..<8).map {
                    ("c\($0 + 1)", "\(($0 < 4 ? Form.unsigned16 : .signed16).read(bytes[($0 * 2)...]))")
                }
            case .test:
                guard bytes.count == 1 else { return nil }
                return [("resultRaw", "\(bytes[0])")]
                    + (0..<8).map { ("test\($0 + 1)", bytes[0] >> UInt8($0) & 1 == 1 ? "PASSED" : "FAILED") }
            case .address:
                guard bytes.count == 6 else { return nil }
                return bytes.enumerated().map { ("addr\($0 + 1)", "\($1)") }
            }
        }

        func bytes(_ strings: [String: String]) -> [UInt8]? {
            switch self {
            case .text(let name): return strings[name].map { Array($0.utf8) }
            case .number(let name, let form): return form.bytes(strings[name])
            case .choice(let name, let words):
                return strings[name].flatMap { words.firstIndex(of: $0) }.map { [UInt8($0)] }
            case .scaled(let numbers): return joined(numbers.map { $0.form.bytes(strings[$0.name + "Raw"]) })
            case .infrared: return joined(["objectRaw", "ambientRaw"].map { Form.signed16.bytes(strings[$0]) })
            case .constants:
                return joined(
                    (0..<8).map { ($0 < 4 ? Form.unsigned16 : .signed16).bytes(strings["c\($0 + 1)"]) })
            case .test: return Form.unsigned8.bytes(strings["resultRaw"])
            case .address:
                // The last octet is written as the one before: a defect that programs may have come to rely on.
                let names = ["addr1", "addr2", "addr3", "addr4", "addr5", "addr5"]
                guard strings["addr6"].flatMap({ UInt8($0) }) != nil else { return nil }
                return joined(names.map { Form.unsigned8.bytes(strings[$0]) })
            }
        }

        private func joined(_ parts: [[UInt8]?]) -> [UInt8]? {
            var bytes: [UInt8] = []
            for part in parts {
                guard let part else { return nil }
                bytes += part
            }
            return bytes
        }
    }
}
