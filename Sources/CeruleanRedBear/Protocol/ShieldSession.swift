// SPDX-License-Identifier: Apache-2.0

/// How the tutorial's app goes about a board, as a pure machine: what happens goes in, what to do comes out.
///
/// It looks for a board once it was told to and the radio is on, in either order; connects to the first it finds; and
/// when that
/// board is lost it forgets it and looks again.
public struct ShieldSession: Hashable, Sendable {
    /// What happens.
    public enum Event: Hashable, Sendable {
        /// The user wants a board.
        case start
        /// The radio is on.
        case poweredOn
        /// The radio is off.
        case poweredOff
        /// A board was found.
        case discovered
        /// It is connected.
        case connected
        /// Its services are known.
        case services
        /// Its characteristics are known.
        case characteristics
        /// It is lost, for whatever reason.
        case disconnected
    }

    /// What people are told, in the tutorial's words.
    public enum Status: String, Hashable, Sendable, CustomStringConvertible {
        /// At first, and when the radio goes off.
        case poweredOff = "Bluetooth powered off"
        /// The radio is on.
        case poweredOn = "Bluetooth powered on"
        /// Looking for a board.
        case scanning = "Scanning for peripherals"
        /// One was found.
        case discovered = "Discovered peripheral"
        /// It is connected.
        case connected = "Connected peripheral"
        /// Its services are known.
        case services = "Discovered services"
        /// Its characteristics are known; values follow.
        case characteristics = "Discovered characteristics"
        /// It is lost.
        case disconnected = "Peripheral Disconnected"

        /// The tutorial's words.
        public var description: String { rawValue }
    }

    private var isWanted = false
    private var isOn = false
    private var isScanning = false
    private var isActive = false

    /// Nothing has happened yet; the status is ``Status/poweredOff``.
    public init() {}

    /// True while a board is to be looked for.
    public var isLooking: Bool { isScanning }

    /// Takes what happened; returns what people are told of it, in order.
    public mutating func receive(_ event: Event) -> [Status] {
        switch event {
        case .start:
            isWanted = true
            return look()
        case .poweredOn:
            guard !isOn else { return [] }
            isOn = true
            return [.poweredOn] + look()
        case .poweredOff:
            isOn = false
            isScanning = false
            isActive = false
            return [.poweredOff]
        case .discovered:
            guard isScanning else { return [] }
            isScanning = false
            isActive = true
            return [.discovered]
        case .connected: return isActive ? [.connected] : []
        case .services: return isActive ? [.services] : []
        case .characteristics: return isActive ? [.characteristics] : []
        case .disconnected:
            guard isActive else { return [] }
            isActive = false
            return [.disconnected] + look()
        }
    }

    /// A call that comes too early is remembered.
    private mutating func look() -> [Status] {
        guard isWanted, isOn, !isScanning, !isActive else { return [] }
        isScanning = true
        return [.scanning]
    }
}
