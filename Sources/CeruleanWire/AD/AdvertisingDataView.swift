// SPDX-License-Identifier: Apache-2.0

/// Walks over the structures of advertising data where it lies: no copy, no allocation.
///
/// A structure whose length goes beyond the end stops the walk and sets ``fault``; those before it stand. A length of 0
/// ends the data early. Core 5.4, Vol 3, Part C, 11.
/// ```swift
/// var reader = AdvertisingDataReader(span)
/// while let structure = reader.next() { print(structure.type, span[structure.data.lowerBound]) }
/// ```
public struct AdvertisingDataReader: ~Escapable {
    /// One structure as a range into the span.
    public struct Structure: Hashable, Sendable {
        /// What the data is.
        public let type: ADType
        /// Where the data is, without length and type.
        public let data: Range<Int>

        @usableFromInline
        init(type: ADType, data: Range<Int>) {
            self.type = type
            self.data = data
        }
    }

    @usableFromInline let span: RawSpan
    @usableFromInline var position = 0
    @usableFromInline var cutAt: Int?

    /// Starts at the first structure of `span`.
    @inlinable
    @_lifetime(copy span)
    public init(_ span: RawSpan) { self.span = span }

    /// The next structure; nil at the end, at an early end, and at a structure that is cut.
    @inlinable
    public mutating func next() -> Structure? {
        guard cutAt == nil, position < span.byteCount else { return nil }
        let length = Int(span[position])
        guard length > 0 else { return nil }
        guard length <= span.byteCount - position - 1 else {
            cutAt = position
            return nil
        }
        let start = position + 2
        position += 1 + length
        return Structure(type: ADType(rawValue: span[start - 1]), data: start..<position)
    }

    /// Where the walk stands: behind the last structure that was returned.
    @inlinable public var offset: Int { position }

    /// Set once the walk met a structure that goes beyond the end; its offset is that of the length octet.
    @inlinable
    public var fault: WireError? {
        cutAt.map { WireError(offset: $0, reason: .truncated) }
    }
}

/// Questions about advertising data where it lies, for filters on the receive path: no copy, no allocation.
public struct AdvertisingDataView: ~Escapable {
    @usableFromInline let span: RawSpan

    /// Looks at `span`, which may hold anything.
    @inlinable
    @_lifetime(copy span)
    public init(_ span: RawSpan) { self.span = span }

    /// Where the data of the first structure of `type` is.
    @inlinable
    public func first(_ type: ADType) -> Range<Int>? {
        var reader = AdvertisingDataReader(span)
        while let structure = reader.next() {
            if structure.type == type { return structure.data }
        }
        return nil
    }

    /// Where the complete name is, else where a shortened one is.
    @inlinable
    public var name: Range<Int>? { first(.completeLocalName) ?? first(.shortenedLocalName) }

    /// The company identifier and the place of the data behind it, of the first manufacturer data that has one.
    @inlinable
    public var manufacturerData: (company: UInt16, data: Range<Int>)? {
        var reader = AdvertisingDataReader(span)
        while let structure = reader.next() {
            guard structure.type == .manufacturerData, structure.data.count >= 2 else { continue }
            let start = structure.data.lowerBound
            return (span.uint16(at: start), start + 2..<structure.data.upperBound)
        }
        return nil
    }

    /// True when one of the service lists holds `service`, in whichever length it is written.
    @inlinable
    public func contains(service: BluetoothUUID) -> Bool {
        var reader = AdvertisingDataReader(span)
        while let structure = reader.next() {
            let width: Int
            switch structure.type.rawValue {
            case 0x02, 0x03: width = 2
            case 0x04, 0x05: width = 4
            case 0x06, 0x07: width = 16
            default: continue
            }
            var start = structure.data.lowerBound
            while start + width <= structure.data.upperBound {
                if uuid(at: start, width: width) == service { return true }
                start += width
            }
        }
        return false
    }

    /// Where the data behind the UUID is, of the first service data of `service`.
    @inlinable
    public func serviceData(of service: BluetoothUUID) -> Range<Int>? {
        var reader = AdvertisingDataReader(span)
        while let structure = reader.next() {
            let width: Int
            switch structure.type.rawValue {
            case 0x16: width = 2
            case 0x20: width = 4
            case 0x21: width = 16
            default: continue
            }
            let start = structure.data.lowerBound
            guard structure.data.count >= width, uuid(at: start, width: width) == service else { continue }
            return start + width..<structure.data.upperBound
        }
        return nil
    }

    /// The caller has checked that `width` octets are there.
    @inlinable
    func uuid(at start: Int, width: Int) -> BluetoothUUID {
        switch width {
        case 2: BluetoothUUID(span.uint16(at: start))
        case 4: BluetoothUUID(UInt32(truncatingIfNeeded: number(at: start, width: 4)))
        default: BluetoothUUID(high: number(at: start + 8, width: 8), low: number(at: start, width: 8))
        }
    }

    @inlinable
    func number(at start: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<width { value |= UInt64(span[start + index]) << (8 * UInt64(index)) }
        return value
    }
}
