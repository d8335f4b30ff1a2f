// SPDX-License-Identifier: Apache-2.0

/// A firmware image and what can be told about it before the first octet is sent.
///
/// ```swift
/// let image = FirmwareImage(bytes)
/// try image.check(for: board, running: version)
/// ```
public struct FirmwareImage: Hashable, Sendable {
    /// The octets.
    public let bytes: [UInt8]

    /// An image.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The checksum that boards compare.
    public var crc: UInt32 { STM32CRC.checksum(bytes) }

    /// Images are never larger: the largest flash memory of a board.
    public static let sizeLimit = 4 << 20

    /// The versions that stand in the image as text, `L476_ALLMEMS1_3.1.0`.
    public var versions: [FirmwareVersion] {
        var found: [FirmwareVersion] = []
        var start: Int?
        for index in 0...bytes.count {
            let isText = index < bytes.count && (0x20...0x7E).contains(bytes[index])
            if isText {
                start = start ?? index
            } else if let first = start {
                start = nil
                guard (9...64).contains(index - first), found.count < 16 else { continue }
                let text = String(decoding: bytes[first..<index], as: UTF8.self)
                if let version = try? FirmwareVersion(text), version.description == text, !found.contains(version) {
                    found.append(version)
                }
            }
        }
        return found
    }

    /// Refuses what is certainly no image for this board.
    ///
    /// - Parameters:
    ///   - board: the board that shall take it.
    ///   - running: the firmware that it runs, where known.
    ///   - capacity: octets that its memory has room for, where known.
    /// - Throws: ``UpgradeError`` with `invalidImage`, `wrongBoard` or `noSpace`.
    public func check(for board: Board, running: FirmwareVersion? = nil, capacity: Int? = nil) throws(UpgradeError) {
        try checkForm()
        let limit = capacity ?? Self.sizeLimit
        guard bytes.count <= limit else {
            throw UpgradeError(
                .noSpace, "the image has \(bytes.count) octets, \(board.name) has room for \(limit): nothing was sent")
        }
        guard let running else { return }
        let named = versions
        let own = Self.microcontroller(running)
        if !named.isEmpty, !named.contains(where: { Self.microcontroller($0) == own }) {
            let names = named.map(\.description).joined(separator: ", ")
            throw UpgradeError(
                .wrongBoard, "the image says it is \(names), but the board runs \(running): nothing was sent")
        }
    }

    /// `L4R9` of `L4R9_FP_SNS`: what must be the same.
    private static func microcontroller(_ version: FirmwareVersion) -> String {
        String(version.mcuType.prefix { $0 != "_" }).uppercased()
    }

    private func checkForm() throws(UpgradeError) {
        guard let first = bytes.first else {
            throw UpgradeError(.invalidImage, "the image is empty: nothing was sent")
        }
        let kinds: [(name: String, head: [UInt8])] = [
            ("an ELF file; make a .bin of it with objcopy -O binary", [0x7F, 0x45, 0x4C, 0x46]),
            ("a zip archive", [0x50, 0x4B, 0x03, 0x04]), ("compressed", [0x1F, 0x8B]),
            ("a DfuSe file", Array("DfuSe".utf8)), ("an XML or HTML file", [UInt8(ascii: "<")]),
        ]
        for kind in kinds where bytes.starts(with: kind.head) {
            throw UpgradeError(.invalidImage, "the image is \(kind.name): nothing was sent")
        }
        let head = bytes.prefix(64)
        let isText = head.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if isText, head.count >= 11 {
            let kind =
                first == UInt8(ascii: ":")
                ? "an Intel HEX file; make a .bin of it"
                : first == UInt8(ascii: "S") ? "a Motorola S-record file; make a .bin of it" : "text"
            throw UpgradeError(.invalidImage, "the image is \(kind): nothing was sent")
        }
        if bytes.count >= 16, bytes.allSatisfy({ $0 == first }) {
            throw UpgradeError(.invalidImage, "the image holds nothing but one octet repeated: nothing was sent")
        }
    }
}
