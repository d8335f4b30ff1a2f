// SPDX-License-Identifier: Apache-2.0

/// Writes HCI packets in the formats that capture programs open.
///
/// ```swift
/// var capture = HCICapture(.btsnoop)
/// file.write(capture.header)
/// file.write(capture.record(packet, isReceived: true, microseconds: now))
/// ```
public struct HCICapture: Hashable, Sendable {
    /// A file format.
    public enum Format: Hashable, Sendable {
        /// The format of BlueZ and Android; RFC 1761 with its own link type.
        case btsnoop
        /// The format of Wireshark.
        case pcapng

        /// The format that the name of a file asks for: `.pcapng` or `.pcap`, else btsnoop.
        public init(path: String) {
            let name = path.lowercased()
            self = name.hasSuffix(".pcapng") || name.hasSuffix(".pcap") ? .pcapng : .btsnoop
        }
    }

    /// The file's format.
    public let format: Format

    /// A capture in a format.
    public init(_ format: Format) { self.format = format }

    /// What stands at the start of the file.
    public var header: [UInt8] {
        switch format {
        case .btsnoop:
            // Version 1, link type 1002: H4.
            return Array("btsnoop".utf8) + [0] + Self.big(UInt32(1)) + Self.big(UInt32(1002))
        case .pcapng:
            // Section header: byte order, version 1.0, length of the section not given.
            let section =
                Self.little(UInt32(0x1A2B_3C4D)) + Self.little(UInt16(1)) + Self.little(UInt16(0))
                + Self.little(UInt64.max)
            // Interface: link type 201, H4 with a direction in front; no limit of length. Time is in microseconds.
            let interface = Self.little(UInt16(201)) + Self.little(UInt16(0)) + Self.little(UInt32(0))
            return Self.block(0x0A0D_0D0A, section) + Self.block(1, interface)
        }
    }

    /// One packet as it stands in the file.
    ///
    /// - Parameters:
    ///   - packet: the H4 packet, its type octet included.
    ///   - isReceived: true from the controller to the host.
    ///   - microseconds: since 1970-01-01, UTC.
    public func record(_ packet: [UInt8], isReceived: Bool, microseconds: Int64) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: packet.count)
        switch format {
        case .btsnoop:
            // Bit 0: direction; bit 1: a command or event rather than data.
            let isData = packet.first != 1 && packet.first != 4
            let flags: UInt32 = (isReceived ? 1 : 0) | (isData ? 0 : 2)
            // Microseconds since the year 0: that many until 1970.
            let time = UInt64(bitPattern: microseconds &+ 0x00DC_DDB3_0F2F_8000)
            return Self.big(length) + Self.big(length) + Self.big(flags) + Self.big(UInt32(0)) + Self.big(time) + packet
        case .pcapng:
            let data = Self.big(UInt32(isReceived ? 1 : 0)) + packet
            let time = UInt64(bitPattern: microseconds)
            let size = UInt32(truncatingIfNeeded: data.count)
            let head =
                Self.little(UInt32(0)) + Self.little(UInt32(truncatingIfNeeded: time >> 32))
                + Self.little(UInt32(truncatingIfNeeded: time)) + Self.little(size) + Self.little(size)
            return Self.block(6, head + data)
        }
    }

    // MARK: - private

    /// A block with its type and length in front and its length behind, filled up to four octets.
    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let length = little(UInt32(truncatingIfNeeded: 12 + body.count + padding.count))
        return little(type) + length + body + padding + length
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }

    private static func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] { little(value).reversed() }
}
