// SPDX-License-Identifier: Apache-2.0

/// The checksum of the STM32's hardware unit: polynomial 04C11DB7, 32-bit words read least significant octet first, no
/// reflection, no final inversion. bluest.md §13.1.
///
/// A tail of fewer than four octets is not covered.
public struct STM32CRC: Hashable, Sendable {
    /// The checksum of what was taken so far.
    public private(set) var value: UInt32 = 0xFFFF_FFFF
    private var pending: [UInt8] = []

    /// The checksum of nothing.
    public init() {}

    /// The checksum of octets.
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = Self()
        crc.update(bytes)
        return crc.value
    }

    /// Takes more octets; words are completed across calls.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            pending.append(byte)
            guard pending.count == 4 else { continue }
            for index in (0..<4).reversed() {
                value = value << 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: value >> 24) ^ pending[index])]
            }
            pending.removeAll(keepingCapacity: true)
        }
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number) << 24) { crc, _ in crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
    }
}
