// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire

/// Which attribute is meant: `2A37`, `SERVICE/CHARACTERISTIC`, `handle:0x0012` or a known name.
struct AttributeSelector: Sendable, CustomStringConvertible {
    /// An attribute that holds a value.
    enum Target: Sendable {
        case characteristic(Characteristic)
        case descriptor(Descriptor, of: Characteristic)

        /// Its type.
        var uuid: BluetoothUUID {
            switch self {
            case .characteristic(let characteristic): characteristic.uuid
            case .descriptor(let descriptor, _): descriptor.uuid
            }
        }

        /// Its handle, where the engine knows handles.
        var handle: UInt16? {
            switch self {
            case .characteristic(let characteristic): characteristic.handle
            case .descriptor(let descriptor, _): descriptor.handle
            }
        }

        /// Its assigned name.
        var name: String? {
            switch self {
            case .characteristic(let characteristic): AssignedNumbers.characteristic(characteristic.uuid)?.name
            case .descriptor(let descriptor, _): AssignedNumbers.descriptor(descriptor.uuid)?.name
            }
        }
    }

    private enum Kind: Sendable {
        case handle(UInt16)
        case uuid(BluetoothUUID, service: BluetoothUUID?)
    }

    /// The text as it was given.
    let description: String
    private let kind: Kind

    /// Reads the text.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/usage`` for what is no selector, ``ExitCode/notFound`` for a name that
    ///   nothing has.
    init(_ text: String) throws(CommandError) {
        description = text
        if text.lowercased().hasPrefix("handle:") {
            let digits = text.dropFirst(7)
            let number =
                digits.lowercased().hasPrefix("0x") ? UInt16(digits.dropFirst(2), radix: 16) : UInt16(digits, radix: 10)
            guard let number, number > 0 else {
                throw .usage("'\(text)' is no handle; write handle:0x0012 or handle:18")
            }
            kind = .handle(number)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let last = parts.last, !parts.contains("") else { throw Self.wrong(.usage, text) }
        var service: BluetoothUUID?
        if parts.count == 2 {
            service = BluetoothUUID(parts[0]) ?? AssignedNumbers.service(named: parts[0])?.uuid
            guard service != nil else {
                throw CommandError(
                    .notFound, "'\(parts[0])' is no UUID and no known service; 'profiles' lists what is known")
            }
        }
        guard let uuid = BluetoothUUID(last) ?? Self.known(last) else { throw Self.wrong(.notFound, text) }
        kind = .uuid(uuid, service: service)
    }

    /// All attributes that match, in the order of the database; characteristics, else descriptors.
    func matches(in services: [Service]) -> [Target] {
        switch kind {
        case .handle(let handle):
            let all = services.flatMap(\.characteristics)
            return all.filter { $0.handle == handle }.map { .characteristic($0) }
                + all.flatMap { one in one.descriptors.filter { $0.handle == handle }.map { .descriptor($0, of: one) } }
        case .uuid(let uuid, let service):
            let all = services.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
            let characteristics = all.filter { $0.uuid == uuid }
            if !characteristics.isEmpty { return characteristics.map { .characteristic($0) } }
            return all.flatMap { one in one.descriptors.filter { $0.uuid == uuid }.map { .descriptor($0, of: one) } }
        }
    }

    /// True when a characteristic of ours, of a service of this type, is meant.
    func matches(_ one: LocalCharacteristic, in type: BluetoothUUID) -> Bool {
        switch kind {
        case .handle(let handle): one.id?.handle == handle
        case .uuid(let uuid, let service): one.uuid == uuid && (service == nil || service == type)
        }
    }

    /// The first attribute that matches; others are named on standard error.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound``.
    func target(on peripheral: Peripheral, _ console: Console) throws(CommandError) -> Target {
        let found = matches(in: peripheral.services)
        guard let first = found.first else {
            throw CommandError(.notFound, "\(peripheral) has no attribute \(self); 'info' lists what it has")
        }
        if found.count > 1 {
            let others = found.dropFirst().map { target in
                target.handle.map { "handle:\(Self.hex($0))" } ?? target.uuid.description
            }
            console.talk(
                "\(self) stands \(found.count) times; taken is the first, others: \(others.joined(separator: ", "))",
                .warning)
        }
        return first
    }

    /// `0x0012`.
    static func hex(_ handle: UInt16) -> String {
        let digits = String(handle, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func known(_ name: String) -> BluetoothUUID? {
        (AssignedNumbers.characteristic(named: name) ?? AssignedNumbers.descriptor(named: name))?.uuid
    }

    private static func wrong(_ exit: ExitCode, _ text: String) -> CommandError {
        CommandError(
            exit,
            "'\(text)' names no attribute; write 2A37, a 128-bit UUID, SERVICE/CHARACTERISTIC, handle:0x0012, or a name "
                + "such as heart_rate_measurement")
    }
}
