// SPDX-License-Identifier: Apache-2.0

/// The content of an advertisement, a scan response or a periodic advertisement as a list of structures.
///
/// Reading never fails: structures before a fault are kept, the rest is kept as it came, and ``fault`` says where it is.
/// ```swift
/// let data = AdvertisingData(decoding: report)
/// for structure in data.structures { print(structure.type, structure.element) }
/// let mine = try AdvertisingData([.flags(.generalDiscoverable), .name("Thermo", complete: true)]).encoded()
/// ```
public struct AdvertisingData: Hashable, Sendable {
    /// Octets that fit into a legacy advertisement or scan response.
    public static let legacyLimit = 31
    /// Octets that fit into extended advertising data. Core 5.4, Vol 4, Part E, 7.8.54.
    public static let extendedLimit = 1650

    /// One structure: a type and its octets.
    public struct Structure: Hashable, Sendable {
        /// What the octets are.
        public var type: ADType
        /// The octets behind the type.
        public var data: [UInt8]

        /// Pairs a type with octets; at most 254 can be sent.
        public init(type: ADType, data: [UInt8]) {
            self.type = type
            self.data = data
        }

        /// The decoded value. What does not fit its type is ``AdvertisingData/Element/malformed(_:_:_:)``.
        public var element: Element { Element(type: type, data: data) }
    }

    /// The structures in order.
    public var structures: [Structure] = []
    /// Octets behind the last structure: those behind an early end (a length of 0), or the structure that is cut.
    public var rest: [UInt8] = []
    /// Set when the last structure goes beyond the end; the offset is that of its length octet.
    public var fault: WireError?

    /// No structure.
    public init() {}

    /// These structures.
    public init(structures: [Structure]) { self.structures = structures }

    /// These values.
    ///
    /// - Throws: ``WireError`` when a value cannot be written as its type, or is longer than 254 octets.
    public init(_ elements: [Element]) throws(WireError) {
        for element in elements { structures.append(try element.structure()) }
    }

    /// Reads advertising data; see the type for what happens to malformed data.
    public init(decoding span: RawSpan) {
        var reader = AdvertisingDataReader(span)
        while let next = reader.next() {
            structures.append(Structure(type: next.type, data: span.extracting(next.data).array))
        }
        fault = reader.fault
        if reader.offset < span.byteCount { rest = span.extracting(reader.offset..<span.byteCount).array }
    }

    /// Reads advertising data; see the type for what happens to malformed data.
    public init(decoding bytes: [UInt8]) { self.init(decoding: bytes.span.bytes) }

    /// The decoded values in order.
    public var elements: [Element] { structures.map(\.element) }

    /// Octets that the structures take.
    public var byteCount: Int { structures.reduce(0) { $0 + 2 + $1.data.count } }

    /// The structures as octets; ``rest`` is left out.
    ///
    /// - Parameter limit: ``legacyLimit`` or ``extendedLimit``.
    /// - Throws: `.tooLong` with the offset of the first structure that does not fit, or that is longer than 254 octets.
    public func encoded(limit: Int = legacyLimit) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        for structure in structures {
            guard structure.data.count <= 254, bytes.count + 2 + structure.data.count <= limit else {
                throw WireError(offset: bytes.count, reason: .tooLong)
            }
            bytes.append(UInt8(structure.data.count + 1))
            bytes.append(structure.type.rawValue)
            bytes.append(contentsOf: structure.data)
        }
        return bytes
    }

    /// Every structure with its type's name and value, for people.
    public func dissected() -> FieldValue {
        var members: [FieldValue.Member] = [
            .init("structures", .list(structures.map { $0.element.dissected() }))
        ]
        if !rest.isEmpty { members.append(.init("rest", .bytes(rest))) }
        if let fault { members.append(.init("error", .text(fault.description))) }
        return .object(members)
    }
}
