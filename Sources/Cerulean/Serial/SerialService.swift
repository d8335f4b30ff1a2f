// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// A serial line over Bluetooth: octets in, octets out, whoever made the device.
///
/// ```swift
/// let serial = try await SerialService(connecting: found)
/// try await serial.write(Array("hello\r\n".utf8))
/// for try await bytes in try await serial.received() { print(bytes.count) }
/// ```
///
/// There is no flow control on the air: ``write(_:timeout:)`` goes as fast as the link takes it, and a device that is
/// slower
/// drops octets. Safe to use from any task; two writes at once may mix their packets.
public struct SerialService: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// Which service it is.
    public let profile: SerialProfile
    /// What we write.
    public let toDevice: Characteristic
    /// What the device notifies.
    public let fromDevice: Characteristic
    private let reset: Characteristic?

    /// Connects to a device that a scan found, and finds its serial service.
    ///
    /// - Parameters:
    ///   - discovery: The board, as a scan found it.
    ///   - profile: The service to look for; nil takes the first that is known.
    ///   - timeout: For each step.
    /// - Throws: ``BluetoothError``, with `notFound` if there is no such service.
    public init(
        connecting discovery: Discovery, profile: SerialProfile? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        try await self.init(discovery.peripheral, profile: profile, timeout: timeout)
    }

    /// Connects if need be, and finds the serial service.
    ///
    /// - Parameters:
    ///   - peripheral: The board.
    ///   - profile: The service to look for; nil takes the first that is known.
    ///   - timeout: For each step.
    /// - Throws: ``BluetoothError``, with `notFound` if there is no such service.
    public init(
        _ peripheral: Peripheral, profile: SerialProfile? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        try await peripheral.connect(timeout: timeout)
        if peripheral.services.isEmpty { try await peripheral.discover(timeout: max(timeout, .seconds(2))) }
        for service in peripheral.services {
            let candidates = service.characteristics.map { SerialProfile.Candidate($0.uuid, $0.properties) }
            let identified = SerialProfile.identify(service.uuid, candidates)
            guard let known = profile ?? identified, known.service == service.uuid else { continue }
            let from = service.characteristics.first { $0.uuid == known.fromDevice && $0.canNotify }
            let to = service.characteristics.first {
                $0.uuid == known.toDevice && !$0.properties.isDisjoint(with: [.write, .writeWithoutResponse])
            }
            guard let from, let to else { continue }
            self.peripheral = peripheral
            self.profile = known
            fromDevice = from
            toDevice = to
            reset = known.reset.flatMap { uuid in service.characteristics.first { $0.uuid == uuid } }
            return
        }
        let known = SerialProfile.all.map(\.name).joined(separator: ", ")
        throw BluetoothError(.notFound, "serial service on \(peripheral)", detail: "known are \(known)")
    }

    /// Octets that one packet carries now.
    public var packetLength: Int { min(peripheral.maximumWriteLength, profile.packetLimit ?? .max) }

    /// Sends octets in packets as large as the link carries, one behind the other without waiting for answers where
    /// the device
    /// allows it. Ends when the last one is queued, at most 8 KiB ahead of the radio.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - timeout: For each packet.
    /// - Throws: ``BluetoothError``.
    public func write(_ bytes: [UInt8], timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        let mode: WriteMode = toDevice.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        var start = 0
        while start < bytes.count {
            let end = min(start + max(packetLength, 1), bytes.count)
            try await peripheral.write(Array(bytes[start..<end]), to: toDevice, mode: mode, timeout: timeout)
            start = end
        }
    }

    /// The octets that the device sends, packet by packet.
    ///
    /// - Parameters:
    ///   - capacity: How many packets wait for a slow reader; beyond it the oldest are dropped and counted.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError``.
    public func received(
        capacity: Int = 4096, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> RawValues {
        try await peripheral.values(of: fromDevice, capacity: capacity, timeout: timeout)
    }

    /// Tells a device with a reset characteristic that a packet was received; does nothing on others.
    ///
    /// - Throws: ``BluetoothError``.
    public func acknowledge(timeout: Duration = .seconds(10)) async throws(BluetoothError) {
        if let reset { try await peripheral.write([0x01], to: reset, timeout: timeout) }
    }
}
