// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// A Red Bear shield made of software, with one of several sketches on it.
///
/// ```swift
/// var shield = SimulatedRedBear()
/// shield.mode = .rbl
/// try await shield.serve(on: server)
/// ```
public struct SimulatedRedBear: SimulatedDevice {
    /// The sketch on the board.
    public enum Mode: String, CaseIterable, Sendable {
        /// The tutorial's three sliders.
        case sliders
        /// SimpleControls.
        case controls
        /// BLEController.
        case rbl
        /// SimpleChat: what is written comes back.
        case chat
        /// HelloWorld: a greeting each second.
        case hello
    }

    /// What the sliders and analog inputs do.
    public enum Signal: String, CaseIterable, Sendable {
        /// Wander by chance.
        case walk
        /// Rise and fall.
        case ramp
    }

    /// `redbear`.
    public var kind: String { "redbear" }
    /// The name it advertises.
    public var name = "BLE Shield"
    /// The sketch.
    public var mode = Mode.sliders
    /// 1 has five characteristics and waits for resets; 2 has two.
    public var firmware = 2
    /// When the sliders are sent, and with which tags.
    public var threshold = SliderThreshold()
    /// What the inputs do.
    public var signal = Signal.walk
    /// Decides all that chance decides.
    public var seed: UInt64 = 1
    /// Ends the link this long after it came up, to try reconnection; nil never.
    public var lossAfter: Duration?
    /// What sliders or analog inputs read, looped, instead of ``signal``: three or six columns of equal length.
    public var replay: [[Double]] = []
    /// Rows of ``replay`` a second.
    public var replayRate = 20.0

    /// A shield of the second firmware with the tutorial's sketch.
    public init() {}

    init(_ options: SimulationOptions) throws {
        if let name = options.name { self.name = name }
        for (name, value) in options.settings {
            func refuse(_ what: String) -> SensingError {
                SensingError(.invalidOption, "\(name)=\(value): \(what)")
            }
            switch name {
            case "mode":
                guard let known = Mode(rawValue: value) else {
                    throw refuse("choose sliders, controls, rbl, chat, hello")
                }
                mode = known
            case "firmware":
                guard let number = Int(value), (1...2).contains(number) else { throw refuse("choose 1 or 2") }
                firmware = number
            case "threshold":
                guard let number = UInt16(value), number <= 1023 else { throw refuse("choose 0 to 1023") }
                threshold.threshold = number
            case "tags":
                let tags = value.split(separator: ",", omittingEmptySubsequences: false).map { UInt8($0) }
                guard tags.count == 3, !tags.contains(nil) else { throw refuse("three numbers with commas, 0 to 255") }
                threshold.tags = tags.compactMap(\.self)
            case "signal":
                guard let known = Signal(rawValue: value) else { throw refuse("choose walk or ramp") }
                signal = known
            case "loss":
                guard let seconds = Double(value), (0.1...86_400).contains(seconds) else {
                    throw refuse("seconds, 0.1 to 86400")
                }
                lossAfter = .nanoseconds(Int64(seconds * 1e9))
            default:
                throw SensingError(
                    .invalidOption, "setting \(name): known are mode, firmware, threshold, tags, signal and loss")
            }
        }
        try setReplays(options.replays)
    }

    private mutating func setReplays(_ replays: [String: RecordedSignal]) throws {
        guard !replays.isEmpty else { return }
        let names = mode == .sliders ? ["slider1", "slider2", "slider3"] : (0..<6).map { "A\($0)" }
        guard mode == .sliders || mode == .rbl else {
            throw SensingError(.invalidOption, "recordings can be replayed in the modes sliders and rbl")
        }
        for name in replays.keys where !names.contains(name) {
            throw SensingError(.invalidOption, "channel \(name): there are \(names.joined(separator: ", "))")
        }
        let length = replays.values.map(\.values.count).max() ?? 0
        replayRate = min(max(replays.values.first?.rate ?? 20, 1), 1000)
        replay = names.map { name in
            let values = replays[name]?.values ?? []
            return (0..<length).map { values.isEmpty ? 0 : values[$0 % values.count] }
        }
    }

    /// Serves until the task is cancelled or the adapter fails. One central at a time.
    ///
    /// - Throws: `CancellationError` or `BluetoothError`.
    public func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let sketch = Sketch(self)
        let output = LocalCharacteristic(RedBear.fromBoard, [.notify])
        var characteristics = [
            output,
            LocalCharacteristic(
                RedBear.toBoard, [.write, .writeWithoutResponse],
                onWrite: { request in
                    guard request.value.count <= RedBear.packetSize else { throw RequestFailure.invalidValueLength }
                    sketch.receive(request.value)
                }),
        ]
        var services: [LocalService] = []
        if firmware == 1 {
            characteristics += [
                LocalCharacteristic(
                    RedBear.reset, [.writeWithoutResponse], onWrite: { _ in sketch.receiveReset() }),
                LocalCharacteristic(RedBear.vendor, [.read], value: Array("Red Bear Lab.".utf8)),
                LocalCharacteristic(RedBear.version, [.read], value: [0x01, 0x02]),
            ]
        } else {
            services.append(
                LocalService(DeviceInformation.uuid) {
                    LocalCharacteristic(0x2A27, [.read], value: Array("2.0.0".utf8))
                })
        }
        services.append(LocalService(RedBear.service, characteristics: characteristics))
        let published = try await server.publish(services)
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [RedBear.service]), interval: .milliseconds(50))
        let loop = server.host.loop
        try await advertise(parameters, of: published, on: server) {
            ready()
            var next = loop.now
            var connectedSince: MonotonicTime?
            while true {
                next = max(next + .milliseconds(10), loop.now)
                try await loop.sleep(until: next)
                let centrals = await server.centrals()
                connectedSince = centrals.isEmpty ? nil : connectedSince ?? loop.now
                if let lossAfter, let since = connectedSince, loop.now - since >= lossAfter {
                    for central in centrals { try? await server.disconnect(central) }
                    continue
                }
                let isHeard = !(await server.subscribers(of: output)).isEmpty
                for packet in sketch.pass(isConnected: !centrals.isEmpty, isHeard: isHeard) {
                    try await server.update(output, to: packet)
                }
            }
        }
    }
}

/// What runs on the board: a pass each ten milliseconds.
private final class Sketch: Sendable {
    private struct State {
        var firmware: any SketchFirmware
        var threshold: SliderThreshold
        var readings: [UInt16]
        var random: UInt64
        var step = 0
        var echo: [UInt8] = []
        var mayHaveReset = true
        var replayClock = 0.0
    }

    private let device: SimulatedRedBear
    private let state: Mutex<State>

    init(_ device: SimulatedRedBear) {
        self.device = device
        let firmware: any SketchFirmware = device.mode == .rbl ? ControllerFirmware() : ControlsFirmware()
        state = Mutex(
            State(
                firmware: firmware, threshold: device.threshold, readings: [512, 512, 512, 512, 512, 512],
                random: device.seed))
    }

    func receive(_ bytes: [UInt8]) {
        state.withLock { state in
            if device.mode == .chat {
                state.echo += bytes.prefix(max(0, 64 - state.echo.count))
            } else {
                state.firmware.receive(bytes)
            }
        }
    }

    func receiveReset() { state.withLock { $0.mayHaveReset = true } }

    func pass(isConnected: Bool, isHeard: Bool) -> [[UInt8]] {
        state.withLock { state in
            state.step += 1
            move(&state)
            switch device.mode {
            case .sliders:
                if !isConnected {
                    state.threshold = device.threshold
                    state.mayHaveReset = true
                }
                guard isHeard, device.firmware == 2 || state.mayHaveReset,
                    let frame = state.threshold.update(state.readings), let bytes = try? frame.encoded()
                else { return [] }
                state.mayHaveReset = false
                return [bytes]
            case .controls, .rbl:
                for pin in 0..<6 { state.firmware.setAnalog(pin: 14 + pin, Int(state.readings[pin])) }
                state.firmware.setConnected(isConnected)
                let packets = state.firmware.pass()
                _ = state.firmware.takeActions()
                return isHeard ? packets : []
            case .chat:
                defer { state.echo = [] }
                return isHeard ? RedBear.packets(of: state.echo) : []
            case .hello:
                return isHeard && state.step % 100 == 0 ? [Array("Hello World!".utf8)] : []
            }
        }
    }

    /// The inputs a hundredth of a second later.
    private func move(_ state: inout State) {
        if let length = device.replay.first?.count, length > 0 {
            let row = Int(Double(state.step) * device.replayRate / 100) % length
            for (index, column) in device.replay.enumerated() where index < 6 {
                let value = column[row]
                state.readings[index] = value.isFinite ? UInt16(min(max(value.rounded(), 0), 1023)) : 0
            }
            return
        }
        for index in state.readings.indices {
            switch device.signal {
            case .walk:
                state.random = state.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let change = Int(state.random >> 33) % 17 - 8
                state.readings[index] = UInt16(min(max(Int(state.readings[index]) + change, 0), 1023))
            case .ramp:
                let position = (state.step * (index + 1)) % 2046
                state.readings[index] = UInt16(position <= 1023 ? position : 2046 - position)
            }
        }
    }
}
