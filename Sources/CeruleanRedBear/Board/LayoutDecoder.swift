// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import Synchronization

/// What a sketch sends, as channels.
enum Layout: String, Sendable {
    case sliders, controls, rbl

    var channels: [Channel] {
        switch self {
        case .sliders: (1...3).map { Self.analog("slider\($0)") }
        case .controls:
            [
                Self.analog("A5"),
                Channel(name: "D4", quantity: .logicLevel, resolution: 1, range: 0...1, role: .digitalInput),
            ]
        case .rbl: (0..<6).map { Self.analog("A\($0)") }
        }
    }

    private static func analog(_ name: String) -> Channel {
        Channel(name: name, resolution: 10, range: 0...1023, sensor: "RAW")
    }

    /// Asks for the reports.
    func begin(_ board: RedBearBoard) async throws {
        switch self {
        case .sliders: break
        case .controls:
            try await board.send(SimpleControls.Command.reset)
            try await board.send(SimpleControls.Command.analogReports(true))
        case .rbl:
            for pin in UInt8(14)...19 { try await board.send(ControllerProtocol.Command.setMode(pin: pin, .analog)) }
            try await board.send(ControllerProtocol.Command.queryAll)
        }
    }

    /// Ends the reports.
    func end(_ board: RedBearBoard) async throws {
        if self == .controls { try await board.send(SimpleControls.Command.analogReports(false)) }
    }
}

/// Keeps the newest values that a board reported.
final class LayoutDecoder: Sendable {
    private struct State {
        var values: [Double]
        var acknowledge: (@Sendable () -> Void)?
    }

    private let layout: Layout
    private let state: Mutex<State>

    init(_ layout: Layout) {
        self.layout = layout
        state = Mutex(State(values: [Double](repeating: .nan, count: layout.channels.count)))
    }

    /// Called behind each packet.
    var acknowledge: (@Sendable () -> Void)? {
        get { state.withLock { $0.acknowledge } }
        set { state.withLock { $0.acknowledge = newValue } }
    }

    /// The values of all channels behind a packet; nil if it says nothing about them.
    func take(_ packet: [UInt8]) -> [Double]? {
        acknowledge?()
        return state.withLock { state in Self.update(&state.values, layout, packet) ? state.values : nil }
    }

    private static func update(_ values: inout [Double], _ layout: Layout, _ packet: [UInt8]) -> Bool {
        switch layout {
        case .sliders:
            guard let frame = try? SliderFrame(decoding: packet) else { return false }
            values = frame.values.map(Double.init)
            return true
        case .controls:
            var isNew = false
            for message in SimpleControls.decode(packet).messages {
                switch message {
                case .analog(let value): values[0] = Double(value)
                case .digital(let isHigh): values[1] = isHigh ? 1 : 0
                case .unknown: continue
                }
                isNew = true
            }
            return isNew
        case .rbl:
            var isNew = false
            for case .value(let pin, .analog, let value) in ControllerProtocol.parse(packet).messages {
                guard (14...19).contains(pin) else { continue }
                values[Int(pin) - 14] = Double(value)
                isNew = true
            }
            return isNew
        }
    }
}

extension RedBearBoard {
    /// Tells the board that a packet was received, without waiting: a lost one is made good by the next.
    func acknowledgeSoon() {
        guard let reset, let link = peripheral.link?.id else { return }
        let (host, attribute) = (peripheral.host, reset.id)
        host.loop.execute {
            host.assumeIsolated { host in
                _ = host.write(
                    [0x01], to: attribute, mode: .withoutResponse, on: link, timeout: .seconds(10),
                    completion: { _ in })
            }
        }
    }
}
