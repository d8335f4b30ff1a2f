// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
public import CeruleanWire

/// Finds Red Bear boards and makes sources of them.
///
/// The setting `mode` is `sliders` (three channels of ten bits, the default), `controls` or `rbl`: analog input A5 of
/// the
/// SimpleControls sketch with its digital input, or the six analog inputs of the BLEController sketch. Boards send
/// only what has
/// changed: the newest values become rows at the asked rate, 1 to 1000 Hz, by default 20.
public struct RedBearDriver: DeviceDriver {
    /// `redbear`.
    public var kind: String { "redbear" }
    /// What people call the device.
    public var title: String { "Red Bear BLE Shield, Blend, BLE Nano" }
    /// The serial service.
    public var services: [BluetoothUUID] { [RedBear.service] }

    /// Creates the driver.
    public init() {}

    /// By the service.
    public func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
        fields.services.contains(RedBear.service) ? Recognition(kind: kind, confidence: .certain) : nil
    }

    /// Connects; the reports begin with the first event.
    ///
    /// - Throws: `SensingError` about the options, ``RedBearError``, or
    /// `BluetoothError`.
    public func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
        let layout = try Self.layout(options.settings)
        let rate = options.rate ?? 20
        guard (1...1000).contains(rate) else {
            throw SensingError(.invalidOption, "rate \(rate) Hz: choose 1 to 1000")
        }
        let all = layout.channels
        let chosen = try Self.chosen(options.channels, of: all)
        _ = try await Self.board(peripheral, timeout: options.timeout)
        let decoder = LayoutDecoder(layout)
        let feed = CharacteristicSource.Feed(
            RedBear.fromBoard, in: RedBear.service, channels: chosen.map { all[$0] },
            decode: { packet in
                let values = decoder.take(packet)
                return values.map { values in chosen.map { values[$0] } }
            })
        return try await CharacteristicSource.open(
            peripheral, kind: kind, model: "redbear", feeds: [feed], pace: .clock(rate), options: options,
            prepare: { peripheral in
                let board = try await Self.board(peripheral, timeout: options.timeout)
                try await layout.begin(board)
                // The first firmware sends the next value only after this.
                decoder.acknowledge = { board.acknowledgeSoon() }
            },
            finish: { peripheral in
                let board = try await Self.board(peripheral, timeout: .seconds(1))
                try await layout.end(board)
            })
    }

    /// A shield made of software. Settings: `mode` is `sliders` (default), `controls`, `rbl`, `chat` or `hello`;
    /// `firmware` 1 or
    /// 2 (default); `threshold` and `tags` of the sliders, such as `tags=65,66,67`; `signal` is `walk` (default) or
    /// `ramp`; `loss`
    /// ends the link after so many seconds.
    ///
    /// - Throws: `SensingError`.
    public func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice {
        try SimulatedRedBear(options)
    }

    // MARK: - Private

    private static func layout(_ settings: [String: String]) throws -> Layout {
        var layout = Layout.sliders
        for (name, value) in settings {
            guard name == "mode", let known = Layout(rawValue: value) else {
                throw SensingError(
                    .invalidOption, "setting \(name)=\(value): a Red Bear board knows mode=sliders, controls or rbl")
            }
            layout = known
        }
        return layout
    }

    private static func board(_ peripheral: Peripheral, timeout: Duration) async throws -> RedBearBoard {
        do {
            return try await RedBearBoard(peripheral, timeout: timeout)
        } catch let error {
            // Programs know what to do about the link's own errors.
            if let cause = error.cause { throw cause }
            throw error
        }
    }

    private static func chosen(_ names: [String], of channels: [Channel]) throws -> [Int] {
        guard !names.isEmpty else { return Array(channels.indices) }
        return try names.map { name in
            let named = channels.firstIndex { $0.name.lowercased() == name.lowercased() }
            let numbered = Int(name).flatMap { channels.indices.contains($0 &- 1) ? $0 - 1 : nil }
            guard let index = named ?? numbered else {
                let known = channels.map(\.name).joined(separator: ", ")
                throw SensingError(.invalidOption, "channel \(name): there are \(known)")
            }
            return index
        }
    }
}
