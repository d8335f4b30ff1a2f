// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The firmware of a BlueST board as a pure machine: features that move plausibly, commands, registers, console,
/// upgrade and messages.
///
/// The owner carries what the machine hands out to a radio, see ``SimulatedBlueSTBoard``.
/// ```swift
/// let (board, version) = Board.named("SENSOR_TILE_BOX")!
/// var node = SimulatedNode(try .init(board: board, protocolVersion: version))
/// node.subscribe(BlueSTUUID.features(0x80), isOn: true, at: now)
/// node.advance(to: node.nextDeadline)
/// while let (characteristic, value) = node.next() { send(value, on: characteristic) }
/// ```
public struct SimulatedNode: Sendable {
    /// A characteristic and what it can do.
    public struct Attribute: Hashable, Sendable {
        /// The characteristic.
        public var uuid: BluetoothUUID
        /// Whether it can be read.
        public var reads = false
        /// Whether it takes writes with response, and without.
        public var writes = false
        /// Whether it notifies.
        public var notifies = false
        /// Whether it indicates.
        public var indicates = false
    }

    private struct Stream: Sendable {
        var decoder: CharacteristicDecoder
        var rate: Double
        var isOn = false
        var start = MonotonicTime.zero
        var count = 0
        var messages = MessageAssembler(.fromHost, limit: 65536)
    }

    /// What the board is.
    public let configuration: Configuration
    private var streams: [BluetoothUUID: Stream] = [:]
    private var order: [BluetoothUUID] = []
    private var state = BoardSignals.State()
    private var console: SimulatedConsole
    private var registers = SimulatedRegisters()
    private var loader: SimulatedLoader?
    /// The next restart leads into the loader.
    private var entersLoader = false
    private var calibrations: [UInt32: MonotonicTime] = [:]
    private var subscriptions: Set<BluetoothUUID> = []
    private var now: MonotonicTime
    private let birth: MonotonicTime
    /// What waits for the radio: measured values, which may be dropped, and answers, which may not.
    private var values: [(BluetoothUUID, [UInt8])] = []
    private var answers: [(BluetoothUUID, [UInt8])] = []
    private var restartAt: MonotonicTime?
    /// Octets that a notification can carry.
    public var valueLength = 20
    /// Notifications that were left out on purpose, or since the radio was too slow.
    public private(set) var dropped = 0
    /// The image that an upgrade brought.
    public var installedImage: [UInt8]? { loader?.image ?? console.installed }
    /// True while the loader runs instead of an application.
    public var isInLoader: Bool { loader != nil }
    /// The firmware that runs.
    public var version: FirmwareVersion { console.version }
    /// What the switches are set to, one bit each.
    public var switches: UInt8 { state.switches }

    /// Packets of sound that the host sent, and what it announced last.
    public private(set) var sound: (packets: Int, octets: Int, announcement: [UInt8]) = (0, 0, [])

    private static let valueLimit = 64
    private static let answerLimit = 4096

    /// A board that was switched on at `now`.
    public init(_ configuration: Configuration, at now: MonotonicTime = .zero) {
        self.configuration = configuration
        self.now = now
        birth = now
        console = SimulatedConsole(
            version: configuration.version, name: configuration.name,
            uid: Array("CERULEAN".utf8) + [configuration.board.id],
            flashCapacity: configuration.flashCapacity, hasSequenceNumbers: configuration.hasSequenceNumbers)
        for group in configuration.groups {
            let decoder = CharacteristicDecoder(
                group.characteristic, device: configuration.board.id, protocolVersion: configuration.protocolVersion,
                registry: configuration.registry)
            streams[group.characteristic] = Stream(decoder: decoder, rate: group.rate)
            order.append(group.characteristic)
        }
        loader = configuration.loader.map { SimulatedLoader(kind: $0, flashCapacity: configuration.flashCapacity) }
        registers.setName(configuration.name)
        registers.setVersion(configuration.version)
    }

    // MARK: - What it shows

    /// The advertisement.
    public var advertisement: BlueSTAdvertisement {
        if isInLoader, configuration.loader == nil {
            // A loader that an application restarted into is another device, with the next address. bluest.md §1.5.
            let next = configuration.address.map { BluetoothAddress(rawValue: ($0.rawValue + 1) & 0xFFFF_FFFF_FFFF) }
            return BlueSTAdvertisement(
                protocolVersion: 1, name: "WB_OTA", deviceID: 0x86, content: .loader, address: next)
        }
        let content: BlueSTAdvertisement.Content =
            if configuration.loader != nil {
                .loader
            } else if configuration.protocolVersion == 1 {
                .features(mask: configuration.advertisedMask ?? configuration.mask)
            } else {
                .options(configuration.options)
            }
        let hasGeneralPurpose = order.contains {
            if case .generalPurpose = BlueSTUUID.kind(of: $0) { return true }
            return false
        }
        return BlueSTAdvertisement(
            protocolVersion: configuration.protocolVersion, name: console.name, deviceID: configuration.board.id,
            content: content, address: configuration.address,
            hasGeneralPurpose: configuration.protocolVersion == 1 && hasGeneralPurpose
                && !Board.isKnownInVersion1(configuration.board.id | 0x20))
    }

    /// The services with their characteristics.
    public var services: [(uuid: BluetoothUUID, attributes: [Attribute])] {
        if let loader { return [loader.service] }
        let features = order.map { uuid in
            let first = streams[uuid]?.decoder.slots.first?.feature
            return Attribute(
                uuid: uuid, reads: true, writes: first.map(Self.takesWrites) ?? false, notifies: true)
        }
        let restart = (
            uuid: BlueSTUUID.peerService, attributes: [Attribute(uuid: BlueSTUUID.rebootRequest, writes: true)]
        )
        return [
            (BlueSTUUID.featureService, features),
            (
                BlueSTUUID.debugService,
                [
                    Attribute(uuid: BlueSTUUID.terminal, writes: true, notifies: true),
                    Attribute(uuid: BlueSTUUID.standardError, notifies: true),
                ]
            ),
            (
                BlueSTUUID.configurationService,
                [
                    Attribute(uuid: BlueSTUUID.registers, reads: true, writes: true, notifies: true),
                    Attribute(uuid: BlueSTUUID.commands, writes: true, notifies: true),
                ]
            ),
        ] + (configuration.restartsIntoLoader ? [restart] : [])
    }

    private static func takesWrites(_ feature: Feature) -> Bool {
        let writable: Set<String> = [
            "switch", "sdLogging", "aiLogging", "stepperMotor", "fitnessActivity", "motionAlgorithm", "piano",
            "tofMultiObject", "neaiAnomalyDetection", "neaiClassification", "odometry", "opusAudioConf",
            "roboticsMovement",
        ]
        return writable.contains(feature.id) || feature.makeDecoder?() is MessageFeatureDecoder
    }

    // MARK: - What happens to it

    /// A host switched notifications on or off.
    public mutating func subscribe(_ uuid: BluetoothUUID, isOn: Bool, at moment: MonotonicTime) {
        advance(to: moment)
        if isOn { subscriptions.insert(uuid) } else { subscriptions.remove(uuid) }
        guard let isStreaming = streams[uuid]?.isOn, isStreaming != isOn else { return }
        streams[uuid]?.isOn = isOn
        streams[uuid]?.start = moment
        streams[uuid]?.count = 0
    }

    /// The link is gone.
    public mutating func linkLost(at moment: MonotonicTime) {
        advance(to: moment)
        for uuid in order { streams[uuid]?.isOn = false }
        subscriptions.removeAll()
        values.removeAll()
        answers.removeAll()
        console.linkLost()
    }

    /// A host reads.
    public mutating func read(_ uuid: BluetoothUUID, at moment: MonotonicTime) -> [UInt8] {
        advance(to: moment)
        if let loader { return loader.read(uuid) }
        if uuid == BlueSTUUID.registers { return registers.last }
        return notification(on: uuid, at: moment) ?? []
    }

    /// A host writes. False refuses the write.
    public mutating func write(_ bytes: [UInt8], to uuid: BluetoothUUID, at moment: MonotonicTime) -> Bool {
        advance(to: moment)
        if loader != nil { return writeLoader(bytes, to: uuid) }
        switch uuid {
        case BlueSTUUID.terminal:
            for output in console.received(bytes) {
                switch output {
                case .standardOutput(let text): answer(text, on: BlueSTUUID.terminal)
                case .standardError(let text): answer(text, on: BlueSTUUID.standardError)
                case .restart: restartAt = moment + .milliseconds(500)
                }
            }
            return true
        case BlueSTUUID.registers:
            guard let message = try? RegisterMessage(decoding: bytes) else { return false }
            let reply = registers.perform(message)
            if message.wantsAcknowledgement || message.operation == .read { answer(reply.encoded, on: uuid) }
            return true
        case BlueSTUUID.commands:
            guard let command = try? FeatureCommand(decoding: bytes) else { return false }
            perform(command)
            return true
        case BlueSTUUID.rebootRequest:
            guard configuration.restartsIntoLoader, bytes.count == 3, bytes[0] == 1 else { return false }
            entersLoader = true
            restartAt = moment + .milliseconds(500)
            return true
        default: return writeFeature(bytes, to: uuid)
        }
    }

    /// A packet of the host's sound came, or what it announces.
    mutating func heard(_ bytes: [UInt8], on uuid: BluetoothUUID) {
        if uuid == BlueSTUUID.extended(0x02) {
            sound.announcement = bytes
        } else {
            sound.packets += 1
            sound.octets += bytes.count
        }
    }

    /// Lets time pass.
    public mutating func advance(to moment: MonotonicTime) {
        guard moment > now else { return }
        now = moment
        for uuid in order {
            while let due = due(uuid), due <= now {
                streams[uuid]?.count += 1
                let count = streams[uuid]?.count ?? 0
                if let period = configuration.dropsEvery, period > 0, count.isMultiple(of: period) {
                    dropped += 1
                    continue
                }
                guard let value = notification(on: uuid, at: due) else { continue }
                if values.count >= Self.valueLimit {
                    values.removeFirst()
                    dropped += 1
                }
                values.append((uuid, value))
            }
        }
    }

    /// When to call ``advance(to:)`` next.
    public var nextDeadline: MonotonicTime {
        order.compactMap { due($0) }.min() ?? .distantFuture
    }

    /// When the board restarts, which ends its links; nil if it does not.
    public var nextRestart: MonotonicTime? { restartAt }

    /// The board restarted: into its loader if that was asked for, out of it if the loader has an image.
    public mutating func restarted() {
        restartAt = nil
        if entersLoader {
            entersLoader = false
            loader = SimulatedLoader(kind: .wb, flashCapacity: configuration.flashCapacity)
        } else if configuration.loader == nil, let image = loader?.image {
            loader = nil
            console.install(image)
        }
    }

    /// The next value for the radio, if one is ready. Answers come before measured values.
    public mutating func next() -> (characteristic: BluetoothUUID, value: [UInt8])? {
        if !answers.isEmpty { return answers.removeFirst() }
        return values.isEmpty ? nil : values.removeFirst()
    }

    // MARK: - Private

    private func due(_ uuid: BluetoothUUID) -> MonotonicTime? {
        guard let stream = streams[uuid], stream.isOn, stream.rate > 0 else { return nil }
        // Whole nanoseconds, so that moments on the edge of a tick fall into it.
        let passed = (Double(stream.count + 1) * 1e9 / stream.rate).rounded()
        return stream.start + .nanoseconds(Int64(min(passed, 9e18)))
    }

    /// The count of the board's clock at a moment.
    private func timestamp(at moment: MonotonicTime) -> UInt16 {
        let ticks = (moment - birth).wholeNanoseconds / max(1, configuration.tick.wholeNanoseconds)
        return UInt16(truncatingIfNeeded: ticks + Int64(configuration.firstTimestamp))
    }

    private func clock(at moment: MonotonicTime) -> [UInt8] { BoardSignals.little(UInt64(timestamp(at: moment)), 2) }

    private mutating func notification(on uuid: BluetoothUUID, at moment: MonotonicTime) -> [UInt8]? {
        guard let stream = streams[uuid] else { return nil }
        let t = (moment - birth).inSeconds
        var bytes: [UInt8] = []
        switch stream.decoder.timing {
        case .device: bytes += clock(at: moment)
        case .remote: bytes += [1, 0]
        case .host: break
        }
        for slot in stream.decoder.slots {
            if stream.decoder.timing == .remote { bytes += clock(at: moment) }
            if slot.feature === Feature.fftAmplitude { return fft(on: uuid, at: t) }
            if slot.feature === Feature.opusAudio { return opus(on: uuid, at: t) }
            guard let data = configuration.signals.bytes(of: slot.feature, at: t, &state) else { return nil }
            bytes += data
        }
        return Array(bytes.prefix(max(20, valueLength)))
    }

    /// A spectrum in as many notifications as it needs.
    private mutating func fft(on uuid: BluetoothUUID, at t: Double) -> [UInt8]? {
        guard values.count < Self.valueLimit - 24 else { return nil }
        var block: [UInt8] = [32, 0, 3] + BoardSignals.little(UInt64(Float(3.125).bitPattern), 4)
        for axis in 0..<3 {
            for bin in 0..<32 {
                let height = Float(axis + 1) / Float(1 + abs(bin - 8))
                block += BoardSignals.little(UInt64(height.bitPattern), 4)
            }
        }
        let chunks = ConsoleText.chunks(block, size: max(20, valueLength))
        for chunk in chunks.dropLast() { values.append((uuid, chunk)) }
        return chunks.last
    }

    /// A packet of a tone in as many notifications as it needs; nil where libopus is not installed.
    private mutating func opus(on uuid: BluetoothUUID, at t: Double) -> [UInt8]? {
        let packets = BoardSignals.tonePackets
        guard !packets.isEmpty, values.count < Self.valueLimit - 16 else { return nil }
        let packet = packets[Int(min(t, 1e9) * 50) % packets.count]
        let frames = MessageTransport.encodeFromBoard(packet, frameSize: max(20, valueLength))
        for frame in frames.dropLast() { values.append((uuid, frame)) }
        return frames.last
    }

    private mutating func answer(_ bytes: [UInt8], on uuid: BluetoothUUID) {
        guard subscriptions.contains(uuid), answers.count < Self.answerLimit else { return }
        answers.append((uuid, bytes))
    }

    private mutating func respond(_ mask: UInt32, _ id: UInt8, _ payload: [UInt8]) {
        let response = CommandResponse(rawTimestamp: timestamp(at: now), mask: mask, id: id, payload: payload)
        answer(response.encoded, on: BlueSTUUID.commands)
    }

    private mutating func perform(_ command: FeatureCommand) {
        let feature = configuration.registry.feature(
            mask: command.mask, device: configuration.board.id, protocolVersion: configuration.protocolVersion)
        let isCalibration = ["sensorFusion", "sensorFusionCompact", "compass", "eulerAngle"].contains(feature?.id)
        if isCalibration, configuration.calibratesByConsole { return }
        switch (feature?.id, command.id) {
        case ("battery", 1): respond(command.mask, 1, BoardSignals.little(500, 2))
        case ("battery", 2): respond(command.mask, 2, BoardSignals.little(2500, 2))
        case ("sensorFusion", 0), ("sensorFusionCompact", 0), ("compass", 0), ("eulerAngle", 0):
            calibrations[command.mask] = now
            respond(command.mask, 0, [0])
        case ("sensorFusion", 1), ("sensorFusionCompact", 1), ("compass", 1), ("eulerAngle", 1):
            let status = calibrationStatus(command.mask)
            calibrations[command.mask] = nil
            respond(command.mask, 1, [status])
        case ("sensorFusion", 0xFF), ("sensorFusionCompact", 0xFF), ("compass", 0xFF), ("eulerAngle", 0xFF):
            respond(command.mask, 0xFF, [calibrationStatus(command.mask)])
        case ("accelerationEvent", let id):
            let isOn = command.payload.first == 1
            if isOn { state.detector = id } else if state.detector == id { state.detector = UInt8(ascii: "m") }
            respond(command.mask, id, [isOn ? 1 : 0])
        case ("coSensor", 0): respond(command.mask, 0, BoardSignals.little(UInt64(Float(1.5).bitPattern), 4))
        case ("switch", let status), ("remoteSwitch", let status): setSwitches(status)
        case ("stepperMotor", let action): state.isStepperRunning = action >= 2
        case ("beamForming", 0xBB): state.beam = command.payload.first ?? state.beam
        default: break
        }
    }

    /// Four seconds of turning calibrate a magnetometer.
    private func calibrationStatus(_ mask: UInt32) -> UInt8 {
        guard let start = calibrations[mask] else { return 100 }
        return UInt8(min(100, max(0, (now - start).inSeconds * 25)))
    }

    private mutating func setSwitches(_ status: UInt8) {
        state.switches = status
        for uuid in order where streams[uuid]?.decoder.slots.first?.feature.id.lowercased().hasSuffix("switch") == true
        {
            if streams[uuid]?.isOn == true, let value = notification(on: uuid, at: now) { answer(value, on: uuid) }
        }
    }

    private mutating func writeFeature(_ bytes: [UInt8], to uuid: BluetoothUUID) -> Bool {
        guard let feature = streams[uuid]?.decoder.slots.first?.feature, Self.takesWrites(feature) else { return false }
        switch feature.id {
        case "switch":
            guard let status = bytes.last else { return false }
            setSwitches(status)
        case "sdLogging":
            guard bytes.count == 9 else { return false }
            state.logging = bytes
            if let value = notification(on: uuid, at: now) { answer(value, on: uuid) }
        case "stepperMotor": state.isStepperRunning = (bytes.first ?? 0) >= 2
        case "roboticsMovement":
            guard let message = try? RobotMessage(decoding: bytes) else { return false }
            answer(clock(at: now) + SimulatedMessages.reply(to: message).encoded, on: uuid)
        default:
            guard feature.makeDecoder?() is MessageFeatureDecoder else {
                state.mode[feature.id] = bytes.first
                return true
            }
            let message: [UInt8]?
            do { message = try streams[uuid]?.messages.received(bytes) } catch { return false }
            guard let message, let reply = SimulatedMessages.reply(to: message, on: feature, configuration, version)
            else { return true }
            for frame in MessageTransport.encodeFromBoard(reply, frameSize: valueLength) { answer(frame, on: uuid) }
        }
        return true
    }

    private mutating func writeLoader(_ bytes: [UInt8], to uuid: BluetoothUUID) -> Bool {
        guard let output = loader?.write(bytes, to: uuid) else { return false }
        for (characteristic, value) in output.values { answer(value, on: characteristic) }
        if output.restarts { restartAt = now + .milliseconds(500) }
        return true
    }
}
