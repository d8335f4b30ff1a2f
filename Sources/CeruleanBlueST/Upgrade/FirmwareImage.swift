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

    /// What an image is made for, as far as that can be told from its first words.
    public enum Target: Hashable, Sendable {
        /// An STM32 that runs it from its flash memory; where in it, where that is known.
        case stm32(address: UInt32?)
        /// A BlueNRG.
        case blueNRG
        /// A radio, whose images may be encrypted: nothing is expected of the first words.
        case radio
    }

    /// Refuses what is no image for this board: first what can never work, then what looks wrong.
    ///
    /// - Parameters:
    ///   - board: The board that shall take it.
    ///   - running: The firmware that it runs, where known.
    ///   - capacity: Octets that its memory has room for, where known.
    ///   - target: What will run it.
    ///   - isForced: Lets pass what looks wrong; what can never work is refused all the same.
    /// - Throws: ``UpgradeError`` with `invalidImage`, `wrongBoard` or `tooLarge`.
    public func check(
        for board: Board, running: FirmwareVersion? = nil, capacity: Int? = nil, target: Target = .stm32(address: nil),
        isForced: Bool = false
    ) throws(UpgradeError) {
        guard !bytes.isEmpty else {
            throw UpgradeError(.invalidImage, "the image is empty: nothing was sent")
        }
        let limit = min(capacity ?? Self.sizeLimit, Self.sizeLimit)
        guard bytes.count <= limit else {
            throw UpgradeError(
                .tooLarge, "the image has \(bytes.count) octets, \(board.name) has room for \(limit): nothing was sent")
        }
        if isForced { return }
        try checkForm()
        try checkBoard(running)
        try checkVectors(target)
    }

    private func checkBoard(_ running: FirmwareVersion?) throws(UpgradeError) {
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
        guard let first = bytes.first else { return }
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

// MARK: - The first words

extension FirmwareImage {
    /// The exceptions that every Cortex-M has in front: reset, NMI, hard fault. ARMv6-M and later, B1.5.3.
    private static let handlers = ["reset", "NMI", "hard fault"]

    /// Where stacks may begin: the RAM of all STM32 and BlueNRG, core-coupled memory, and their secure images.
    private static let stacks: [ClosedRange<UInt32>] = [
        0x1000_0000...0x1008_0000, 0x2000_0000...0x2100_0000, 0x2400_0000...0x2500_0000, 0x3000_0000...0x3100_0000,
        0x3400_0000...0x3500_0000, 0x3800_0000...0x3810_0000,
    ]

    /// Where code may stand: internal flash memory, its secure image, external memory.
    private static let code: [ClosedRange<UInt32>] = [
        0x0800_0000...0x0840_0000, 0x0C00_0000...0x0C40_0000, 0x7000_0000...0x7FFF_FFFF, 0x9000_0000...0x9FFF_FFFF,
    ]

    /// Where a BlueNRG's code may stand.
    private static let blueNRGCode: [ClosedRange<UInt32>] = [0x1004_0000...0x1010_0000]

    /// An image begins with the initial stack pointer and the addresses of the exceptions' handlers.
    private func checkVectors(_ target: Target) throws(UpgradeError) {
        var code = Self.code
        switch target {
        case .radio: return
        case .blueNRG: code = Self.blueNRGCode
        case .stm32(let address):
            if let address {
                let end = address.addingReportingOverflow(UInt32(truncatingIfNeeded: bytes.count))
                code = [address...(end.overflow ? .max : end.partialValue)]
            }
        }
        guard bytes.count >= 64 else {
            throw suspicion("it has \(bytes.count) octets, less than a table of exceptions has")
        }
        guard bytes.count.isMultiple(of: 4) else {
            throw suspicion("its \(bytes.count) octets are no whole words, and no checksum covers the last of them")
        }
        let stack = word(0)
        guard stack.isMultiple(of: 4), Self.stacks.contains(where: { $0.contains(stack) }) else {
            throw suspicion("its first word, \(Self.hex(stack)), is no stack in RAM")
        }
        let addresses = (1...Self.handlers.count).map(word)
        for (name, address) in zip(Self.handlers, addresses) {
            guard address & 1 == 1, code.contains(where: { $0.contains(address) }) else {
                throw suspicion(
                    "its \(name) handler, \(Self.hex(address)), is no Thumb code in "
                        + (code.count == 1
                            ? "\(Self.hex(code[0].lowerBound)) to \(Self.hex(code[0].upperBound))" : "flash"))
            }
        }
        guard let low = addresses.min(), let high = addresses.max(), high - low < UInt32(clamping: bytes.count) else {
            throw suspicion("its handlers are farther apart than it is long")
        }
    }

    private func word(_ index: Int) -> UInt32 {
        bytes[(4 * index)..<(4 * index + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func suspicion(_ what: String) -> UpgradeError {
        UpgradeError(
            .invalidImage,
            "the image does not look like firmware: \(what); nothing was sent; --force sends it all the same")
    }

    private static func hex(_ number: UInt32) -> String { BlueSTAdvertisement.hex(number, 8) }
}
