// SPDX-License-Identifier: Apache-2.0

/// The debug console of a simulated board, with the firmware upgrade behind it. Pure.
struct SimulatedConsole: Sendable {
    /// What the console says.
    enum Output: Hashable, Sendable {
        case standardOutput([UInt8])
        case standardError([UInt8])
        /// The board restarts with new firmware.
        case restart
    }

    private struct Upgrade: Hashable, Sendable {
        var isRadio: Bool
        var size: Int
        var crc: UInt32
        var image: [UInt8] = []
        var isRunning = true
        /// A gap was reported and not filled yet.
        var isRewinding = false
    }

    var version: FirmwareVersion
    var name: String
    let uid: [UInt8]
    /// Octets that the memory has room for.
    let flashCapacity: Int
    let hasSequenceNumbers: Bool
    private(set) var calibration = 0
    private var input: [UInt8] = []
    private var upgrade: Upgrade?
    /// The image of the last upgrade that was accepted.
    private(set) var installed: [UInt8]?

    init(
        version: FirmwareVersion, name: String, uid: [UInt8], flashCapacity: Int, hasSequenceNumbers: Bool
    ) {
        self.version = version
        self.name = name
        self.uid = uid
        self.flashCapacity = flashCapacity
        self.hasSequenceNumbers = hasSequenceNumbers
    }

    /// Longest command.
    private static let inputLimit = 256
    /// Octets of the image in a numbered packet.
    private static let numberedSize = 16

    mutating func received(_ bytes: [UInt8]) -> [Output] {
        if let command = Self.upgradeCommand(bytes) { return begin(command) }
        if upgrade?.isRunning == true { return packet(bytes) }
        input += bytes.prefix(Self.inputLimit - min(input.count, Self.inputLimit))
        // A full chunk without an end of line may have a continuation.
        let isComplete = bytes.count < ConsoleText.chunkSize || bytes.last == 0x0A || bytes.last == 0x0D
        guard isComplete || input.count >= Self.inputLimit else { return [] }
        defer { input.removeAll() }
        var lines = ConsoleLines()
        var commands = lines.received(input)
        if let rest = lines.finish() { commands.append(rest) }
        return commands.flatMap { answer($0) }
    }

    /// The link is gone. Without numbers nobody knows where the image stands, so it is given up.
    mutating func linkLost() {
        input.removeAll()
        if hasSequenceNumbers { upgrade?.isRunning = false } else { upgrade = nil }
    }

    // MARK: - Commands

    private mutating func answer(_ command: String) -> [Output] {
        func say(_ text: String) -> [Output] {
            ConsoleText.chunks(ConsoleText.encode(text + "\r\n")).map { .standardOutput($0) }
        }
        let words = command.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "help", "?":
            return say(
                "help, versionFw, versionBle, uid, info, getName, setName NAME, startMagnCalib, getMagnCalibStatus, "
                    + "upgradeFw, upgradeBle")
        case "versionFw": return say(version.description)
        case "versionBle": return say("BLUENRG2_2.1.0")
        case "uid": return say(uid.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined())
        case "info": return say("\(name) \(version)")
        case "getName": return say(name)
        case "setName":
            guard words.count == 2, (1...7).contains(words[1].count) else {
                return ConsoleText.chunks(ConsoleText.encode("setName needs 1 to 7 characters\r\n"))
                    .map { .standardError($0) }
            }
            name = String(words[1])
            return say("name \(name)")
        case "startMagnCalib":
            calibration = 0
            return say("magnCalibStatus 0")
        case "getMagnCalibStatus":
            calibration = min(100, calibration + 25)
            return say("magnCalibStatus \(calibration)")
        default:
            return ConsoleText.chunks(ConsoleText.encode("unknown command \(command.prefix(64))\r\n"))
                .map { .standardError($0) }
        }
    }

    // MARK: - Upgrade

    /// New firmware is in place.
    mutating func install(_ image: [UInt8], isRadio: Bool = false) {
        installed = image
        if !isRadio, let version = FirmwareImage(image).versions.first { self.version = version }
    }

    private static func upgradeCommand(_ bytes: [UInt8]) -> (isRadio: Bool, size: UInt32, crc: UInt32)? {
        for (text, isRadio) in [("upgradeFw", false), ("upgradeBle", true)] {
            let head = Array(text.utf8)
            guard bytes.count == head.count + 8, bytes.starts(with: head) else { continue }
            func number(_ offset: Int) -> UInt32 {
                bytes[(head.count + offset)..<(head.count + offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }
            return (isRadio, number(0), number(4))
        }
        return nil
    }

    private mutating func begin(_ command: (isRadio: Bool, size: UInt32, crc: UInt32)) -> [Output] {
        let size = Int(command.size)
        guard size > 0, size <= flashCapacity else {
            upgrade = nil
            return [.standardOutput(ConsoleText.encode("flash full\r\n"))]
        }
        let echo = Output.standardOutput(FeatureCommand.littleEndian(command.crc))
        if hasSequenceNumbers, let known = upgrade, known.size == size, known.crc == command.crc {
            upgrade?.isRunning = true
            upgrade?.isRewinding = false
            return known.image.isEmpty ? [echo] : [rewind(), echo]
        }
        upgrade = Upgrade(isRadio: command.isRadio, size: size, crc: command.crc)
        return [echo]
    }

    private func rewind() -> Output {
        let last = UInt32(truncatingIfNeeded: (upgrade?.image.count ?? 0) / Self.numberedSize) &- 1
        return .standardError([1] + FeatureCommand.littleEndian(last))
    }

    private mutating func packet(_ bytes: [UInt8]) -> [Output] {
        guard let size = upgrade?.size, let received = upgrade?.image.count else { return [] }
        var data = bytes[...]
        if hasSequenceNumbers {
            guard bytes.count > 4 else { return [] }
            data = bytes.dropLast(4)
            let number = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let expected = UInt32(truncatingIfNeeded: received / Self.numberedSize)
            guard number == expected else {
                // One report for each gap; repetitions of what is there are passed over.
                guard number > expected, upgrade?.isRewinding == false else { return [] }
                upgrade?.isRewinding = true
                return [rewind()]
            }
        }
        upgrade?.isRewinding = false
        upgrade?.image += data.prefix(size - received)
        guard upgrade?.image.count == size, let done = upgrade else { return [] }
        upgrade = nil
        guard STM32CRC.checksum(done.image) == done.crc else { return [.standardOutput([0xFF])] }
        install(done.image, isRadio: done.isRadio)
        return [.standardOutput([0x01]), .restart]
    }
}
