// SPDX-License-Identifier: Apache-2.0

/// What a device says about itself in its advertisement and its scan response together.
///
/// ```swift
/// let fields = AdvertisementFields(advertisement: report, scanResponse: response)
/// print(fields.name ?? "?", fields.services, fields.manufacturerData.first?.company ?? 0)
/// ```
public struct AdvertisementFields: Hashable, Sendable {
    /// What one company says.
    public struct ManufacturerData: Hashable, Sendable {
        /// The company identifier; names in ``AssignedNumbers``.
        public var company: UInt16
        /// The octets behind it.
        public var data: [UInt8]
        /// Pairs a company with its octets.
        public init(company: UInt16, data: [UInt8]) {
            self.company = company
            self.data = data
        }
    }

    /// What one service says.
    public struct ServiceData: Hashable, Sendable {
        /// The service.
        public var uuid: BluetoothUUID
        /// The octets behind its UUID.
        public var data: [UInt8]
        /// Pairs a service with its octets.
        public init(uuid: BluetoothUUID, data: [UInt8]) {
            self.uuid = uuid
            self.data = data
        }
    }

    /// The flags octet; its bits are those of ``AdvertisingData/Flags``.
    public var flags: UInt8?
    /// The octets of the complete name, else of the shortened one.
    public var nameBytes: [UInt8]?
    /// False when only a shortened name was sent.
    public var isNameComplete = false
    /// Services in the order in which they were sent, each once.
    public var services: [BluetoothUUID] = []
    /// Services that the device looks for in a central, each once.
    public var solicitedServices: [BluetoothUUID] = []
    /// In the order in which they were sent.
    public var manufacturerData: [ManufacturerData] = []
    /// In the order in which they were sent.
    public var serviceData: [ServiceData] = []
    /// Transmit power in dBm.
    public var txPower: Int8?
    /// What the device looks like.
    public var appearance: UInt16?
    /// Preferred connection intervals.
    public var connectionIntervalRange: AdvertisingData.IntervalRange?
    /// URIs with a known scheme.
    public var uris: [String] = []
    /// Everything else in the order in which it was sent, malformed structures included.
    public var others: [AdvertisingData.Element] = []
    /// The first fault of the data: a structure that goes beyond the end.
    public var fault: WireError?

    /// Nothing known.
    public init() {}

    /// Reads both; never fails.
    public init(advertisement: [UInt8], scanResponse: [UInt8] = []) {
        merge(AdvertisingData(decoding: advertisement))
        merge(AdvertisingData(decoding: scanResponse))
    }

    /// The name for display: invalid UTF-8 repaired, cut at a NUL. Nil when none or an empty one was sent.
    public var name: String? {
        get {
            guard let text = nameBytes.map(AdvertisingData.text), !text.isEmpty else { return nil }
            return text
        }
        set {
            nameBytes = newValue.map { Array($0.utf8) }
            isNameComplete = newValue != nil
        }
    }

    /// Adds what `data` says: single values of later data win, lists grow, a complete name beats a shortened one.
    ///
    /// Of a list with a UUID that is cut the whole ones count; any other malformed structure goes to ``others`` alone.
    public mutating func merge(_ data: AdvertisingData) {
        fault = fault ?? data.fault
        for structure in data.structures { merge(structure.element) }
    }

    private mutating func merge(_ element: AdvertisingData.Element) {
        switch element {
        case .flags(let value): flags = value.rawValue
        case .localName(let bytes, let complete):
            guard complete || !isNameComplete else { return }
            nameBytes = bytes
            isNameComplete = complete
        case .services(let uuids, _, _): Self.add(uuids, to: &services)
        case .solicitedServices(let uuids, _): Self.add(uuids, to: &solicitedServices)
        case .manufacturerData(let company, let data):
            let value = ManufacturerData(company: company, data: data)
            if !manufacturerData.contains(value) { manufacturerData.append(value) }
        case .serviceData(let service, let data, _):
            let value = ServiceData(uuid: service, data: data)
            if !serviceData.contains(value) { serviceData.append(value) }
        case .txPower(let value): txPower = value
        case .appearance(let value): appearance = value
        case .connectionIntervalRange(let value): connectionIntervalRange = value
        case .uri:
            if let text = element.uriText { uris.append(text) } else { others.append(element) }
        case .malformed(let type, let data, let error):
            others.append(element)
            // The offset is that of the UUID that is cut.
            let whole = AdvertisingData.Element(type: type, data: Array(data.prefix(error.offset)))
            switch whole {
            case .services, .solicitedServices: merge(whole)
            default: break
            }
        default: others.append(element)
        }
    }

    /// A device sends at most 1650 octets, 825 UUIDs; a set would cost more than the search for the few there are.
    private static func add(_ uuids: [BluetoothUUID], to list: inout [BluetoothUUID]) {
        for uuid in uuids where !list.contains(uuid) { list.append(uuid) }
    }
}

extension AdvertisementFields {
    /// The values that were sent, under stable keys: `flags`, `name`, `appearance`, `txPower`, `services`,
    /// `manufacturerData` (`{"004C":"hex"}`), `serviceData` (`{"180D":"hex"}`).
    ///
    /// A key without a value is left out. Of two values of one company or service the first is shown.
    public var fieldMembers: [FieldValue.Member] {
        var members: [FieldValue.Member] = []
        if let flags { members.append(.init("flags", FieldValue(integer: flags))) }
        if let name { members.append(.init("name", .text(name))) }
        if let appearance { members.append(.init("appearance", FieldValue(integer: appearance))) }
        if let txPower { members.append(.init("txPower", FieldValue(integer: txPower))) }
        if !services.isEmpty { members.append(.init("services", Self.list(services))) }
        let companies = manufacturerData.map { FieldValue.Member(Self.hex($0.company), .bytes($0.data)) }
        if !companies.isEmpty { members.append(.init("manufacturerData", Self.unique(companies))) }
        let data = serviceData.map { FieldValue.Member($0.uuid.description, .bytes($0.data)) }
        if !data.isEmpty { members.append(.init("serviceData", Self.unique(data))) }
        return members
    }

    private static func list(_ uuids: [BluetoothUUID]) -> FieldValue { .list(uuids.map { .text($0.description) }) }

    private static func unique(_ members: [FieldValue.Member]) -> FieldValue {
        var seen: Set<String> = []
        return .object(members.filter { seen.insert($0.name).inserted })
    }

    private static func hex(_ company: UInt16) -> String {
        // A 16-bit UUID is written with the same four upper-case digits.
        BluetoothUUID(company).description
    }
}

extension AdvertisementFields {
    /// The values as an advertisement and a scan response of at most 31 octets each.
    ///
    /// Flags, services, solicited services, appearance, TX power, service data, manufacturer data and the rest go in that
    /// order into whichever still has room, the advertisement first. The name goes where it fits whole, else it is
    /// shortened to the room that is left (at least one character).
    ///
    /// - Throws: `.tooLong` when something does not fit into either; its offset counts values in the order above.
    public func legacyPayloads() throws(WireError) -> (advertisement: [UInt8], scanResponse: [UInt8]) {
        var parts: [AdvertisingData.Structure] = []
        for element in elementsWithoutName { parts.append(try element.structure()) }
        let limit = AdvertisingData.legacyLimit
        var first = AdvertisingData()
        var second = AdvertisingData()
        for (index, part) in parts.enumerated() {
            if first.byteCount + 2 + part.data.count <= limit {
                first.structures.append(part)
            } else if second.byteCount + 2 + part.data.count <= limit, part.type != .flags {
                second.structures.append(part)
            } else {
                throw WireError(offset: index, reason: .tooLong)
            }
        }
        if let nameBytes, !nameBytes.isEmpty {
            let whole = AdvertisingData.Structure(
                type: isNameComplete ? .completeLocalName : .shortenedLocalName, data: nameBytes)
            if first.byteCount + 2 + nameBytes.count <= limit {
                first.structures.append(whole)
            } else if second.byteCount + 2 + nameBytes.count <= limit {
                second.structures.append(whole)
            } else {
                let useFirst = first.byteCount < second.byteCount
                let room = limit - 2 - min(first.byteCount, second.byteCount)
                let short = Self.shortened(nameBytes, to: room)
                guard !short.isEmpty else { throw WireError(offset: parts.count, reason: .tooLong) }
                let part = AdvertisingData.Structure(type: .shortenedLocalName, data: short)
                if useFirst { first.structures.append(part) } else { second.structures.append(part) }
            }
        }
        return (try first.encoded(), try second.encoded())
    }

    /// The values as one payload of extended advertising data.
    ///
    /// - Throws: `.tooLong` when it is longer than `limit` octets.
    public func payload(limit: Int = AdvertisingData.extendedLimit) throws(WireError) -> [UInt8] {
        var elements = elementsWithoutName
        if let nameBytes { elements.append(.localName(nameBytes, complete: isNameComplete)) }
        return try AdvertisingData(elements).encoded(limit: limit)
    }

    private var elementsWithoutName: [AdvertisingData.Element] {
        var elements: [AdvertisingData.Element] = []
        if let flags { elements.append(.flags(.init(rawValue: flags))) }
        elements += AdvertisingData.Element.serviceLists(services)
        elements += AdvertisingData.Element.solicitationLists(solicitedServices)
        if let appearance { elements.append(.appearance(appearance)) }
        if let txPower { elements.append(.txPower(txPower)) }
        if let connectionIntervalRange { elements.append(.connectionIntervalRange(connectionIntervalRange)) }
        elements += serviceData.map { .serviceData($0.uuid, $0.data) }
        elements += manufacturerData.map { .manufacturerData(company: $0.company, $0.data) }
        elements += uris.map(Self.uriElement)
        return elements + others
    }

    private static func uriElement(_ text: String) -> AdvertisingData.Element {
        if text.hasPrefix("https:") { return .uri(scheme: 0x17, rest: String(text.dropFirst(6))) }
        if text.hasPrefix("http:") { return .uri(scheme: 0x16, rest: String(text.dropFirst(5))) }
        return .uri(scheme: 0x01, rest: text)
    }

    /// Cuts at a character, never inside one.
    private static func shortened(_ name: [UInt8], to room: Int) -> [UInt8] {
        var count = max(0, min(room, name.count))
        while count > 0, count < name.count, name[count] & 0xC0 == 0x80 { count -= 1 }
        return Array(name.prefix(count))
    }
}

/// The last advertisement and scan response of one device, merged under the rule that a scan response only counts
/// together with an advertisement of its own set.
public struct AdvertisementMerge: Hashable, Sendable {
    /// The last advertisement.
    public private(set) var advertisement: [UInt8]?
    /// The last scan response that belongs to it.
    public private(set) var scanResponse: [UInt8]?
    private var set: UInt8?

    /// Nothing received.
    public init() {}

    /// Takes an advertisement. A scan response of another set is dropped.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - set: the advertising set, nil for legacy advertising.
    public mutating func received(advertisement bytes: [UInt8], set: UInt8? = nil) {
        if advertisement != nil, self.set != set { scanResponse = nil }
        advertisement = bytes
        self.set = set
    }

    /// Takes a scan response. False when no advertisement of the same set came before: it is not merged.
    @discardableResult
    public mutating func received(scanResponse bytes: [UInt8], set: UInt8? = nil) -> Bool {
        guard advertisement != nil, self.set == set else { return false }
        scanResponse = bytes
        return true
    }

    /// What both say together.
    public var fields: AdvertisementFields {
        AdvertisementFields(advertisement: advertisement ?? [], scanResponse: scanResponse ?? [])
    }
}
