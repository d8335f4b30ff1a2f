// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanRecording
import CeruleanWire

/// One value of an attribute in the words of `read`, `notify` and `info`.
struct ValueReport: Sendable {
    /// What the value alone does not tell: how many signals, and how a plain number is to be shown.
    struct Context: Sendable {
        var signalCount: Int?
        var format: PresentationFormat?
        /// What the characteristic carries, on a BlueST board.
        var board: BoardValue?
    }

    var uuid: BluetoothUUID
    var value: [UInt8]
    var context = Context()

    /// The fields of the value, if its layout is known and it fits.
    var decoded: FieldValue? {
        if let board = context.board { return board.decoded(value) }
        let options = KnownCharacteristics.Options(signalCount: context.signalCount)
        if let decoded = KnownCharacteristics.decoded(uuid: uuid, bytes: value, options: options), decoded.fault == nil
        {
            return .some(decoded.completeValue)
        }
        guard let format = context.format, let plain = format.value(of: value) else { return .none }
        var members: [FieldValue.Member] = [.init("value", plain)]
        if let symbol = AssignedNumbers.unit(BluetoothUUID(format.unit))?.symbol, !symbol.isEmpty {
            members.append(.init("unit", .text(symbol)))
        }
        return .some(.object(members))
    }

    /// The members `value` and `decoded`.
    var members: [FieldValue.Member] {
        [.init("value", .bytes(value))] + (decoded.map { [.init("decoded", $0)] } ?? [])
    }

    /// A short text for people: the decoded fields, else printable text, else hexadecimal.
    var text: String {
        if uuid == 0x2904, let format = try? PresentationFormat(decoding: value) { return Self.text(of: format) }
        if let decoded {
            let unit = ScalarFormat.of(uuid)?.unit ?? ""
            return Self.text(of: decoded) + (unit.isEmpty || decoded["value"] == .null ? "" : " \(unit)")
        }
        if value.isEmpty { return "(empty)" }
        return Hex.encode(value)
    }

    /// A presentation format in words: `uint16 in °C, times 10 to the power of -2`.
    private static func text(of format: PresentationFormat) -> String {
        let name = AssignedNumbers.format(format.format)?.name ?? "format \(format.format)"
        // 2700 is no unit.
        let known = format.unit == 0x2700 ? nil : AssignedNumbers.unit(BluetoothUUID(format.unit))
        let unit = known.map { $0.symbol.isEmpty ? $0.quantity : $0.symbol }
        let scale = format.exponent == 0 ? "" : ", times 10 to the power of \(format.exponent)"
        return name + (unit.map { " in \($0)" } ?? "") + scale
    }

    /// Fields as a short text for people.
    static func text(of value: FieldValue) -> String {
        guard case .object(let members) = value else { return plain(value) }
        if members.count == 1, members[0].name == "value" { return plain(members[0].value) }
        if members.count == 2, members[0].name == "value", members[1].name == "unit" {
            return plain(members[0].value) + " " + plain(members[1].value)
        }
        return members.filter { $0.value != .null }.map { "\($0.name) \(plain($0.value))" }.joined(separator: ", ")
    }

    private static func plain(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): TerminalText.escaped(text)
        case .list(let values): "[" + values.map(plain).joined(separator: " ") + "]"
        case .object(let members): "{" + members.map { "\($0.name) \(plain($0.value))" }.joined(separator: ", ") + "}"
        case .bytes(let bytes): Hex.encode(bytes)
        default: JSONText.encode(value)
        }
    }
}

extension ValueReport.Context {
    /// Reads the descriptors that tell how to show the values of a characteristic. What cannot be read is left out.
    static func of(
        _ characteristic: Characteristic, on peripheral: Peripheral, timeout: Duration
    ) async -> Self {
        var context = Self()
        context.board = BoardValue(characteristic.uuid, on: peripheral)
        if let descriptor = characteristic.descriptor(0x2909),
            let bytes = try? await peripheral.read(descriptor, timeout: timeout)
        {
            context.signalCount = bytes.first.map(Int.init)
        }
        if let descriptor = characteristic.descriptor(0x2904),
            let bytes = try? await peripheral.read(descriptor, timeout: timeout)
        {
            context.format = try? PresentationFormat(decoding: bytes)
        }
        return context
    }
}

extension AttributeSelector.Target {
    /// The members in front of a value: `time address name uuid handle`.
    func members(on peripheral: Peripheral, time: String) -> [FieldValue.Member] {
        var members: [FieldValue.Member] = [.init("time", .text(time))]
        if let address = peripheral.address { members.append(.init("address", .text(address.description))) }
        if let name = peripheral.name { members.append(.init("name", .text(name))) }
        members.append(.init("uuid", .text(uuid.description)))
        if let handle { members.append(.init("handle", FieldValue(integer: handle))) }
        return members
    }
}
