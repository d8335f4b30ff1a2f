// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A device with a serial service made of software: what is written to it comes back.
struct SimulatedSerialPort: SimulatedDevice {
    var kind: String { "uart" }
    var name = "Cerulean UART"
    /// Which service.
    var profile = SerialProfile.nordic

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(4096))
        let isOne = profile.toDevice == profile.fromDevice
        let output = LocalCharacteristic(
            profile.fromDevice, isOne ? [.notify, .write, .writeWithoutResponse] : [.notify],
            onWrite: isOne ? Self.taking(continuation) : nil)
        var characteristics = [output]
        if !isOne {
            characteristics.append(
                LocalCharacteristic(
                    profile.toDevice, [.write, .writeWithoutResponse], onWrite: Self.taking(continuation)))
        }
        let published = try await server.publish([LocalService(profile.service, characteristics: characteristics)])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [profile.service]), interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            for await bytes in stream { try await server.update(output, to: bytes) }
            try Task.checkCancellation()
        }
    }

    private static func taking(
        _ continuation: AsyncStream<[UInt8]>.Continuation
    ) -> LocalCharacteristic.WriteHandler {
        { request in _ = continuation.yield(request.value) }
    }
}
