// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// An engine with a controller that says exactly what a test wants, octet by octet.
final class Script {
    let engine: StackEngine
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var events: [HostEvent] = []
    /// Commands that the engine sent: opcode and parameters.
    var commands: [(opcode: HCI.Opcode, parameters: [UInt8])] = []
    /// ACL packets that the engine sent, header included.
    var packets: [[UInt8]] = []
    /// Parameters of Command Complete behind the status, by opcode; nil gives no answer at all.
    var answers: [HCI.Opcode: [UInt8]?] = [:]
    /// Status of the answer, by opcode.
    var statuses: [HCI.Opcode: UInt8] = [:]
    /// Commands are recorded and not answered.
    var isSilent = false

    init(start: Bool = true, _ configuration: StackConfiguration = StackConfiguration(seed: 7)) {
        engine = StackEngine(configuration: configuration)
        answers[.leReadBufferSize] = [251, 0, 8]
        answers[.readBDADDR] = [1, 2, 3, 4, 5, 6]
        answers[.readLocalSupportedCommands] = [UInt8](repeating: 0xFF, count: 64)
        answers[.readLocalVersionInformation] = [12, 0, 0, 12, 0xFF, 0xFF, 0, 0]
        engine.send = { [unowned self] in receive($0) }
        engine.onEvent = { [unowned self] in events.append($0) }
        engine.onValue = { [unowned self] link, attribute, value, mode in
            events.append(.value(link: link, attribute: attribute, value: value.array, mode: mode))
        }
        if start { engine.start(now: now, timeout: .seconds(5)) { _ in } }
    }

    /// An engine on a controller of Bluetooth 5.
    static func extended(
        _ configuration: StackConfiguration = StackConfiguration(seed: 7), sets: UInt8 = 4, length: UInt16 = 1_650,
        features: HCI.LEFeatures = [
            .dataLengthExtension, .le2M, .leCoded, .extendedAdvertising, .periodicAdvertising,
        ]
    ) -> Script {
        let script = Script(start: false, configuration)
        script.answers[.leReadLocalSupportedFeatures] = (0..<8).map {
            UInt8(truncatingIfNeeded: features.rawValue >> (8 * UInt64($0)))
        }
        script.answers[.leReadNumberOfSupportedAdvertisingSets] = [sets]
        script.answers[.leReadMaximumAdvertisingDataLength] = [UInt8(length & 255), UInt8(length >> 8)]
        script.answers[.leReadPHY] = [0, 0, 1, 1]
        script.engine.start(now: script.now, timeout: .seconds(5)) { _ in }
        return script
    }

    private func receive(_ span: RawSpan) {
        let bytes = span.array
        if bytes[0] == 2 { return packets.append(Array(bytes.dropFirst())) }
        let opcode = HCI.Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
        commands.append((opcode, Array(bytes.dropFirst(4))))
        guard !isSilent else { return }
        if case .some(.none) = answers[opcode] { return }
        let status = statuses[opcode] ?? 0
        switch opcode {
        case .disconnect, .leCreateConnection, .leConnectionUpdate, .leExtendedCreateConnection, .leSetPHY,
            .lePeriodicAdvertisingCreateSync:
            commandStatus(opcode, status)
        default:
            let parameters = status == 0 ? (answers[opcode] ?? nil) ?? [0, 0, 0, 0, 0, 0, 0, 0] : []
            feed([4, 0x0E, UInt8(4 + parameters.count), 1, bytes[1], bytes[2], status] + parameters)
        }
    }

    // MARK: - what the controller says

    func feed(_ bytes: [UInt8]) { engine.receive(bytes.span.bytes, now: now) }

    func event(_ code: UInt8, _ parameters: [UInt8]) { feed([4, code, UInt8(parameters.count)] + parameters) }

    func commandStatus(_ opcode: HCI.Opcode, _ status: UInt8, credits: UInt8 = 1) {
        event(
            0x0F,
            [
                status, credits, UInt8(truncatingIfNeeded: opcode.rawValue),
                UInt8(truncatingIfNeeded: opcode.rawValue >> 8),
            ])
    }

    static let peer = DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_000001), .random)

    /// LE Connection Complete.
    func connectionComplete(
        _ handle: UInt16, role: UInt8 = 1, status: UInt8 = 0, peer: DeviceAddress = Script.peer
    ) {
        let raw = peer.address.rawValue
        event(
            0x3E,
            [0x01, status, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), role, 1]
                + (0..<6).map { UInt8(truncatingIfNeeded: raw >> (8 * UInt64($0))) } + [24, 0, 0, 0, 0xF4, 1, 0])
    }

    /// Number Of Completed Packets: all buffers of the controller are free again.
    func packetsCompleted(_ handle: UInt16) {
        event(0x13, [1, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), 8, 0])
    }

    func disconnectionComplete(_ handle: UInt16, reason: UInt8 = 0x13) {
        event(0x05, [0, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), reason])
    }

    /// An ACL packet; boundary 2 starts a frame, 1 goes on.
    func acl(_ handle: UInt16, _ data: [UInt8], boundary: UInt16 = 2) {
        let word = handle | boundary << 12
        feed(
            [2, UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
                + [UInt8(data.count & 255), UInt8(data.count >> 8)] + data)
    }

    /// A whole frame in one packet.
    func frame(_ handle: UInt16, channel: UInt16, _ payload: [UInt8]) {
        acl(
            handle,
            [UInt8(payload.count & 255), UInt8(payload.count >> 8), UInt8(channel & 255), UInt8(channel >> 8)] + payload
        )
    }

    // MARK: - what the engine did

    func tick(after duration: Duration) {
        now = now + duration
        engine.tick(now: now)
    }

    /// Frames that the engine sent on a channel, without their headers (only those of one packet).
    func frames(on channel: UInt16) -> [[UInt8]] {
        packets.filter { UInt16($0[6]) | UInt16($0[7]) << 8 == channel }.map { Array($0[8...]) }
    }

    var values: [[UInt8]] {
        events.compactMap { if case .value(_, _, let value, _) = $0 { value } else { nil } }
    }

    var opened: Int { events.count { if case .linkOpened = $0 { true } else { false } } }

    var closed: [HostError] {
        events.compactMap { if case .linkClosed(_, let reason) = $0 { reason } else { nil } }
    }

    func count(_ opcode: HCI.Opcode) -> Int { commands.count { $0.opcode == opcode } }

    /// True when the engine still answers a peer on `handle`: an Exchange MTU Request brings a response.
    func isAlive(_ handle: UInt16) -> Bool {
        let before = packets.count
        frame(handle, channel: 4, [0x02, 23, 0])
        return packets.count == before + 1
    }
}

/// Remembers how often and how an operation ended. Used on one thread.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    private(set) var results: [Result<Value, HostError>] = []
    var completion: HostCompletion<Value> { { self.results.append($0) } }
    var error: HostError? {
        guard results.count == 1, case .failure(let error) = results[0] else { return nil }
        return error
    }
    var value: Value? {
        guard results.count == 1, case .success(let value) = results[0] else { return nil }
        return value
    }
}
