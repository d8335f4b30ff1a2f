// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanSensing
public import CeruleanWire

/// Finds BITalino boards and makes sources of them.
///
/// Channels are `1` to `6` or `A1` to `A6`; without any, all six. Settings: `mode` is `live` or `simulated` (the board's own test
/// signals); `A1` to `A6` name the sensor at an input, as ``BITalino/Sensor/named(_:)`` knows them.
public struct BITalinoDriver: DeviceDriver {
    /// `bitalino`.
    public var kind: String { "bitalino" }
    /// What people call the device.
    public var title: String { "BITalino (r)evolution" }
    /// The service of its radio module.
    public var services: [BluetoothUUID] { [BITalino.service] }

    /// Creates the driver.
    public init() {}

    /// By the service, else by a name that contains "bitalino" in any case.
    public func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
        if fields.services.contains(BITalino.service) { return Recognition(kind: kind, confidence: .certain) }
        if let name = fields.name, name.lowercased().contains("bitalino") {
            return Recognition(kind: kind, confidence: .name)
        }
        return nil
    }

    /// Connects and makes the board idle; the acquisition starts with the first event.
    ///
    /// - Throws: `SensingError` about the options, ``BITalinoError``, or `BluetoothError` when the
    ///   link fails.
    public func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
        let inputs = try Self.inputs(options.channels)
        let rate = try Self.rate(options.rate)
        var mode = BITalino.Mode.live
        var sensors: [BITalino.Input: BITalino.Sensor] = [:]
        for (name, value) in options.settings {
            if name == "mode" {
                switch value {
                case "live": mode = .live
                case "simulated": mode = .simulated
                default: throw SensingError(.invalidOption, "mode \(value): choose live or simulated")
                }
            } else if let input = Self.input(name) {
                guard let sensor = BITalino.Sensor.named(value) else {
                    throw SensingError(.invalidOption, "sensor \(value) at \(input): no such sensor")
                }
                sensors[input] = sensor
            } else {
                throw SensingError(.invalidOption, "setting \(name): a BITalino knows mode and A1 to A6")
            }
        }
        do {
            let board = try await BITalino(peripheral, timeout: options.timeout)
            return BITalinoSource(
                board: board, inputs: inputs, rate: rate, mode: mode, sensors: sensors,
                reconnectTimeout: options.reconnectTimeout, timeout: options.timeout)
        } catch let error {
            // Programs know what to do about the link's own errors.
            if let cause = error.cause, error.code == .link { throw cause }
            throw error
        }
    }

    /// A board that replays what is given for `A1` to `A6`, with the firmware's test signals on the other inputs, and the lines
    /// `I1`, `I2`, `O1`, `O2` as given. Settings: `firmware`, `5.0` to `5.9`.
    ///
    /// - Throws: `SensingError`.
    public func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice {
        var device = SimulatedBITalino()
        if let name = options.name { device.name = name }
        for (name, value) in options.settings {
            guard name == "firmware" else {
                throw SensingError(.invalidOption, "setting \(name): only firmware is known")
            }
            let answer = Array("BITalino_v\(value)\n".utf8)
            guard let version = BITalino.Version(answer: answer), version.major == 5 else {
                throw SensingError(.invalidOption, "firmware \(value): choose 5.0 to 5.9")
            }
            device.version = version
        }
        var lines: [String: RecordedSignal] = [:]
        for (name, signal) in options.replays {
            guard (1...1_000_000).contains(signal.rate) else {
                throw SensingError(.invalidOption, "rate \(signal.rate) of the recording of \(name) is out of range")
            }
            if let input = Self.input(name) {
                device.signals[input] = .recording(signal.values.map(Self.reading), rate: Int(signal.rate))
            } else if ["I1", "I2", "O1", "O2"].contains(name) {
                lines[name] = signal
            } else {
                throw SensingError(.invalidOption, "channel \(name): a BITalino has A1 to A6, I1, I2, O1 and O2")
            }
        }
        device.signals.digital = Self.digital(lines)
        return device
    }

    // MARK: - Private

    private static func inputs(_ names: [String]) throws -> [BITalino.Input] {
        guard !names.isEmpty else { return BITalino.Input.allCases }
        var inputs: [BITalino.Input] = []
        for name in names {
            guard let input = input(name) ?? Int(name).flatMap({ BITalino.Input(rawValue: $0 &- 1) }) else {
                throw SensingError(.invalidOption, "channel \(name): a BITalino has 1 to 6, or A1 to A6")
            }
            if !inputs.contains(input) { inputs.append(input) }
        }
        return inputs.sorted()
    }

    private static func input(_ name: String) -> BITalino.Input? {
        BITalino.Input.allCases.first { $0.description == name.uppercased() }
    }

    private static func rate(_ rate: Double?) throws -> BITalino.Rate {
        guard let rate else { return .hz1000 }
        guard let known = BITalino.Rate.allCases.first(where: { Double($0.rawValue) == rate }) else {
            let text = Int(exactly: rate).map(String.init) ?? String(rate)
            throw SensingError(.invalidOption, "rate \(text) Hz: a BITalino samples at 1, 10, 100 or 1000 Hz")
        }
        return known
    }

    private static func reading(_ value: Double) -> UInt16 {
        value.isFinite ? UInt16(min(max(value.rounded(), 0), 1023)) : 0
    }

    private static func digital(_ lines: [String: RecordedSignal]) -> BITalino.SimulatedBoard.DigitalReplay? {
        guard let longest = lines.values.max(by: { $0.values.count < $1.values.count }) else { return nil }
        let rows = longest.values.indices.map { row in
            ["I1", "I2", "O1", "O2"].reduce(UInt8(0)) { bits, name in
                let values = lines[name]?.values ?? []
                return bits << 1 | (row < values.count && values[row] != 0 ? 1 : 0)
            }
        }
        return BITalino.SimulatedBoard.DigitalReplay(rows: rows, rate: Int(longest.rate))
    }
}
