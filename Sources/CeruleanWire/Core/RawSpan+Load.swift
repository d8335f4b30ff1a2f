// SPDX-License-Identifier: Apache-2.0

extension RawSpan {
    /// The octet at `offset`. Traps when it is outside: check `byteCount` first.
    @inlinable
    public subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// The little-endian 16-bit number at `offset`. Traps when it is outside: check `byteCount` first.
    @inlinable
    public func uint16(at offset: Int) -> UInt16 {
        precondition(offset >= 0 && offset + 2 <= byteCount)
        return UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
    }

    /// A copy of all octets.
    @inlinable
    public var array: [UInt8] {
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}
