// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// Lays out the attributes of a service definition. Core 5.4, Vol 3, Part G, 3.
struct ServiceLayout {
    private struct Slot {
        var wish: UInt16?
        var attribute: GATTDatabase.Attribute
        /// For a value: offset of the slot of its Client Characteristic Configuration.
        var partner: Int?
        /// For a declaration: the last slot of its characteristic.
        var groupEnd: Int?
    }

    private let definition: ServiceDefinition
    private let serial: UInt32
    private var slots: [Slot] = []
    private var characteristics: [(value: Int, descriptors: [Int])] = []
    private(set) var handles: [UInt16] = []
    private(set) var attributes: [GATTDatabase.Attribute] = []
    private(set) var end = 0
    private(set) var published: PublishedService

    init(_ definition: ServiceDefinition, serial: UInt32, database: GATTDatabase) throws(HostError) {
        self.definition = definition
        self.serial = serial
        published = PublishedService(id: AttributeID(rawValue: 0, handle: nil), characteristics: [])
        add(
            definition.isPrimary ? GATT.primaryService : GATT.secondaryService, .service, read: .open, write: .closed,
            value: definition.uuid.attBytes)
        for include in definition.includes {
            guard let index = database.index(of: include),
                let service = database.service(around: database.handles[index])
            else { throw HostError(.invalidArgument, detail: "an included service has not been published") }
            var value: [UInt8] = []
            value.append(littleEndian: service.start)
            value.append(littleEndian: service.end)
            if service.uuid.short != nil { value += service.uuid.attBytes }
            add(GATT.include, .include, read: .open, write: .closed, value: value)
        }
        for characteristic in definition.characteristics { try add(characteristic) }
    }

    /// Handles needed when no wishes leave holes.
    var length: Int {
        if let end = definition.endHandle, let start = definition.handle {
            return max(Int(end) - Int(start) + 1, slots.count)
        }
        return slots.count
    }

    /// Gives every attribute its handle.
    mutating func place(at start: Int) throws(HostError) {
        guard start >= 1 else { throw HostError(.invalidArgument, detail: "handle 0 is reserved") }
        var cursor = start
        for index in slots.indices {
            let handle = slots[index].wish.map(Int.init) ?? cursor
            guard handle >= cursor, handle <= 0xFFFF else {
                throw HostError(.invalidArgument, detail: "handle \(handle) is out of order")
            }
            handles.append(UInt16(handle))
            cursor = handle + 1
        }
        end = definition.endHandle.map(Int.init) ?? cursor - 1
        guard end >= cursor - 1 else {
            throw HostError(.invalidArgument, detail: "the service ends at \(end), before its last attribute")
        }
        finish()
    }

    // MARK: - private

    private mutating func finish() {
        for (index, slot) in slots.enumerated() {
            var attribute = slot.attribute
            attribute.groupEnd = handles[index]
            if index == 0 { attribute.groupEnd = UInt16(end) }
            if let last = slot.groupEnd { attribute.groupEnd = handles[last] }
            if let partner = slot.partner { attribute.partner = handles[partner] }
            if attribute.kind == .declaration {
                // The declaration holds the handle of the value behind it.
                let value = handles[index + 1]
                attribute.value[1] = UInt8(truncatingIfNeeded: value)
                attribute.value[2] = UInt8(truncatingIfNeeded: value >> 8)
            }
            attributes.append(attribute)
        }
        published = PublishedService(
            id: id(0),
            characteristics: characteristics.map {
                PublishedService.Characteristic(id: id($0.value), descriptors: $0.descriptors.map(id))
            })
    }

    private func id(_ slot: Int) -> AttributeID {
        AttributeID(rawValue: UInt64(serial) << 16 | UInt64(handles[slot]), handle: handles[slot])
    }

    private mutating func add(_ definition: CharacteristicDefinition) throws(HostError) {
        var properties = definition.properties
        let extended = UInt8(truncatingIfNeeded: properties.rawValue >> 8)
        if extended != 0 { properties.insert(.extended) }
        let declaration = slots.count
        add(
            GATT.characteristic, .declaration, wish: definition.declarationHandle, read: .open, write: .closed,
            value: [UInt8(truncatingIfNeeded: properties.rawValue), 0, 0] + definition.uuid.attBytes)
        let value = slots.count
        var kind = GATTDatabase.Kind.value
        if case .stored = definition.value {
            if definition.uuid == GATT.clientSupportedFeatures { kind = .clientFeatures }
            if definition.uuid == GATT.databaseHash { kind = .databaseHash }
        }
        try add(
            definition.uuid, kind, wish: definition.valueHandle, permissions: definition.permissions,
            source: definition.value)
        slots[value].attribute.properties = properties
        var descriptors: [Int] = []
        for descriptor in definition.descriptors {
            descriptors.append(slots.count)
            let isConfiguration = descriptor.uuid == GATT.clientConfiguration
            if isConfiguration { link(value, to: slots.count) }
            try add(
                descriptor.uuid, isConfiguration ? .clientConfiguration : .descriptor, wish: descriptor.handle,
                permissions: descriptor.permissions, source: isConfiguration ? .stored([]) : descriptor.value)
            if isConfiguration { slots[slots.count - 1].partner = value }
        }
        if !properties.isDisjoint(with: [.notify, .indicate]), slots[value].partner == nil {
            link(value, to: slots.count)
            // Who may not read the value must not have it sent either.
            add(
                GATT.clientConfiguration, .clientConfiguration, read: .open,
                write: AttributeGate(definition.permissions.read ?? .open), value: [])
            slots[slots.count - 1].partner = value
        }
        if extended != 0, !definition.descriptors.contains(where: { $0.uuid == GATT.extendedProperties }) {
            add(GATT.extendedProperties, .descriptor, read: .open, write: .closed, value: [extended, 0])
        }
        slots[declaration].groupEnd = slots.count - 1
        characteristics.append((value, descriptors))
    }

    private mutating func link(_ value: Int, to configuration: Int) {
        if slots[value].partner == nil { slots[value].partner = configuration }
    }

    private mutating func add(
        _ type: BluetoothUUID, _ kind: GATTDatabase.Kind, wish: UInt16?, permissions: AttributePermissions,
        source: ValueSource
    ) throws(HostError) {
        var stored: [UInt8] = []
        if case .stored(let value) = source { stored = value }
        guard stored.count <= ATT.maximumValueLength else {
            throw .tooLong(stored.count, ATT.maximumValueLength)
        }
        add(
            type, kind, wish: wish, read: AttributeGate(permissions.read), write: AttributeGate(permissions.write),
            value: stored)
        slots[slots.count - 1].attribute.isDynamic = source == .dynamic
    }

    private mutating func add(
        _ type: BluetoothUUID, _ kind: GATTDatabase.Kind, wish: UInt16? = nil, read: AttributeGate,
        write: AttributeGate, value: [UInt8]
    ) {
        slots.append(
            Slot(
                wish: wish,
                attribute: GATTDatabase.Attribute(
                    type: type, kind: kind, read: read, write: write, groupEnd: 0, serial: serial, value: value)))
    }
}
