// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Sends an image to a BlueNRG loader. bluest.md §13.2.
///
/// Packets hold a checksum, a multiple of 16 octets, and a number; one of some is acknowledged with the number expected
/// next, where the upgrade goes on after an error.
public struct BlueNRGUpgrade: UpgradeProcedure {
    private enum State: Hashable, Sendable {
        case idle, readingMemory, writingSettings, checkingSettings, sending, awaitingAck, done
    }

    private let image: [UInt8]
    private var baseAddress: UInt32
    /// The address is the first that the loader has.
    private let usesLowest: Bool
    private var blocks: Int
    private var ackInterval: UInt8
    private var state = State.idle
    private var next = 0
    private var acknowledged = 0
    private var settingsTries = 0
    private var failures: [UInt8: Int] = [:]
    /// Acknowledgements one after the other that told of nothing new.
    private var standstills = 0
    /// The number from which is sent again after an error, and when that may be done once more. Until then further
    /// errors about the same number speak of packets that were on their way already.
    private var recovery: (sequence: Int, until: MonotonicTime)?
    private var silentUntil = MonotonicTime.distantFuture

    static let silence: Duration = .seconds(20)
    static let retryInterval: Duration = .seconds(1)
    static let standstillLimit = 32

    /// An upgrade. `writeSize` is what a write without response can hold, 20 if that is not known. Without an address
    /// the image goes where the loader's memory begins.
    public init(_ image: FirmwareImage, baseAddress: UInt32?, writeSize: Int = 20, ackInterval: UInt8 = 8) {
        self.image = image.bytes
        self.baseAddress = baseAddress ?? 0
        usesLowest = baseAddress == nil
        self.blocks = max(1, (writeSize - 4) / 16)
        self.ackInterval = max(1, ackInterval)
    }

    /// When silence has lasted too long, or an error was not overcome.
    public var nextDeadline: MonotonicTime { min(silentUntil, recovery?.until ?? .distantFuture) }

    /// The acknowledgements.
    public var subscriptions: [UpgradeChannel] { [.blueNRGAck] }

    /// What was acknowledged.
    public var progress: UpgradeProgress {
        UpgradeProgress(sent: min(image.count, acknowledged * packetSize), total: image.count)
    }

    private var packetSize: Int { 16 * blocks }
    private var packetCount: Int { (image.count + packetSize - 1) / packetSize }
    private var settings: [UInt8] {
        [ackInterval] + FeatureCommand.littleEndian(UInt32(truncatingIfNeeded: packetCount * packetSize))
            + FeatureCommand.littleEndian(baseAddress)
    }

    /// A packet: checksum of all that follows, data filled up with zeros, whether it is acknowledged, number.
    public func packet(_ index: Int) -> [UInt8] {
        let start = min(index * packetSize, image.count)
        var body = Array(image[start..<min(image.count, start + packetSize)])
        body += [UInt8](repeating: 0, count: packetSize - body.count)
        body.append(isAcknowledged(index) ? 1 : 0)
        body += [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)]
        return [body.reduce(0, ^)] + body
    }

    private func isAcknowledged(_ index: Int) -> Bool {
        (index + 1).isMultiple(of: Int(ackInterval)) || index == packetCount - 1
    }

    /// Asks where the image may go.
    public mutating func start(at now: MonotonicTime) -> [UpgradeAction] {
        guard baseAddress.isMultiple(of: 512) else {
            return fail(.invalidImage, "the address \(hex(baseAddress)) is no multiple of 512: nothing was sent")
        }
        // Numbers of packets have two octets.
        guard packetCount <= 0x1_0000, !image.isEmpty else {
            return fail(.invalidImage, "the image has \(image.count) octets: empty or too large, nothing was sent")
        }
        state = .readingMemory
        silentUntil = now + Self.silence
        return [.read(.blueNRGMemory)]
    }

    /// Takes what was read, and acknowledgements.
    public mutating func received(
        _ bytes: [UInt8], from channel: UpgradeChannel, at now: MonotonicTime
    ) -> [UpgradeAction] {
        silentUntil = now + Self.silence
        switch (state, channel) {
        case (.readingMemory, .blueNRGMemory): return checkMemory(bytes)
        case (.checkingSettings, .blueNRGSettings):
            if bytes.starts(with: settings) {
                state = .sending
                next = 0
                acknowledged = 0
                return send()
            }
            settingsTries += 1
            guard settingsTries < 10 else {
                return fail(.transmission, "the loader did not take the settings in ten tries: nothing was changed")
            }
            state = .writingSettings
            return [.write(settings, to: .blueNRGSettings, withResponse: true)]
        case (.sending, .blueNRGAck), (.awaitingAck, .blueNRGAck): return acknowledge(bytes, at: now)
        default: return []
        }
    }

    /// Sends the next packet, or reads the settings back.
    public mutating func writeCompleted(at now: MonotonicTime) -> [UpgradeAction] {
        switch state {
        case .writingSettings:
            state = .checkingSettings
            return [.read(.blueNRGSettings)]
        case .sending: return send()
        case .idle, .readingMemory, .checkingSettings, .awaitingAck, .done: return []
        }
    }

    /// The image is written over what was there.
    public var remains: String {
        state == .readingMemory || state == .idle
            ? "nothing was changed; start the upgrade again"
            : "the loader waits for a whole image; start the upgrade again"
    }

    /// Gives up.
    public mutating func deadlineReached(at now: MonotonicTime) -> [UpgradeAction] {
        guard state != .done, state != .idle else { return [] }
        if let recovery, now >= recovery.until {
            return recover(from: recovery.sequence, 0xF0, at: now)
        }
        guard now >= silentUntil else { return [] }
        return fail(
            .noAnswer, "the loader was silent for 20 s after \(progress.sent) of \(image.count) octets; start again")
    }

    // MARK: - Private

    private mutating func checkMemory(_ bytes: [UInt8]) -> [UpgradeAction] {
        var values = FeatureValues()
        var input = FeatureInput(bytes, feature: Feature.blueNrgOtaMemoryInfo.id)
        guard var decoder = Feature.blueNrgOtaMemoryInfo.makeDecoder?(),
            (try? decoder.decode(&input, into: &values)) == true, let low = values[0], let high = values[1]
        else { return fail(.noAnswer, "the loader did not say where its memory is") }
        if usesLowest, low <= Double(UInt32.max - 511) { baseAddress = (UInt32(low) + 511) / 512 * 512 }
        let base = Double(baseAddress)
        guard base >= low, base + Double(packetCount * packetSize) <= high + 1 else {
            return fail(
                .noSpace,
                "the image of \(image.count) octets at \(hex(baseAddress)) does not fit the loader's memory, "
                    + "\(hex(UInt32(low))) to \(hex(UInt32(high))): nothing was sent")
        }
        state = .writingSettings
        return [.write(settings, to: .blueNRGSettings, withResponse: true)]
    }

    private mutating func send() -> [UpgradeAction] {
        guard next < packetCount else {
            state = .awaitingAck
            return []
        }
        let packet = packet(next)
        state = isAcknowledged(next) ? .awaitingAck : .sending
        next += 1
        return [.write(packet, to: .blueNRGData, withResponse: false)]
    }

    private mutating func acknowledge(_ bytes: [UInt8], at now: MonotonicTime) -> [UpgradeAction] {
        guard bytes.count >= 3 else { return [] }
        let wanted = Int(bytes[0]) | Int(bytes[1]) << 8
        guard wanted <= packetCount else { return [] }
        if bytes[2] != 0 {
            if recovery?.sequence == wanted { return [] }
            return recover(from: wanted, bytes[2], at: now)
        }
        standstills = wanted > acknowledged ? 0 : standstills + 1
        guard standstills <= Self.standstillLimit else {
            return fail(
                .transmission, "the loader does not get on after \(progress.sent) of \(image.count) octets; start again"
            )
        }
        failures.removeAll()
        recovery = nil
        acknowledged = wanted
        if wanted * packetSize >= image.count {
            state = .done
            silentUntil = .distantFuture
            return [.finished]
        }
        guard state == .awaitingAck else { return [] }
        next = wanted
        state = .sending
        return send()
    }

    /// Begins again at a packet.
    private mutating func recover(from sequence: Int, _ code: UInt8, at now: MonotonicTime) -> [UpgradeAction] {
        recovery = (sequence, now + Self.retryInterval)
        failures[code, default: 0] += 1
        if failures[code, default: 0] > 4 {
            // Long packets may be more than the loader takes: nothing was accepted yet, so begin again with short ones.
            if acknowledged == 0, blocks > 1 {
                blocks = 1
                failures.removeAll()
                recovery = nil
                state = .writingSettings
                return [.write(settings, to: .blueNRGSettings, withResponse: true)]
            }
            let name = Feature.blueNrgOtaAck.fields[1].labels?[Double(code)] ?? "unknown"
            return fail(.transmission, "the loader reported \(name) more than four times; start again")
        }
        next = sequence
        // A write that is under way goes on from there.
        guard state == .awaitingAck else { return [] }
        state = .sending
        return send()
    }

    private mutating func fail(_ code: UpgradeError.Code, _ message: String) -> [UpgradeAction] {
        state = .done
        silentUntil = .distantFuture
        recovery = nil
        return [.failed(UpgradeError(code, message))]
    }

    private func hex(_ number: UInt32) -> String { BlueSTAdvertisement.hex(number, 8) }
}
