// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A door lock made of software that wants to be paired: its bolt is read on encrypted links and moved on authenticated ones.
///
/// It has a display and two buttons. What it displays is printed on standard error; its buttons agree by themselves.
struct SimulatedLock: SimulatedDevice {
    /// Takes what locks display; tests put their own in place.
    @TaskLocal static var display: @Sendable (String) -> Void = { Console.standard.talk($0, .error) }

    var kind: String { "lock" }
    var name = "Cerulean Lock"

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        await server.acceptPairing(as: name)
        let bolt = LocalCharacteristic(
            0x2A56, [.read, .write, .notify],
            permissions: AttributePermissions(read: .encrypted, write: .authenticated), value: [1],
            descriptors: [DescriptorDefinition(uuid: 0x2909, permissions: .readable, value: .stored([1]))],
            onWrite: { request in
                // One signal of two bits: inactive is open, active is shut.
                guard request.value.count == 1, request.value[0] <= 1 else { throw RequestFailure(code: 0x13) }
            })
        let published = try await server.publish([
            LocalService(0x1815) { bolt },
            LocalService(Battery.uuid) { LocalCharacteristic(Battery.level, BatteryLevel(percent: 93)) },
            LocalService(DeviceInformation.uuid) {
                LocalCharacteristic(DeviceInformation.manufacturerName, "Cerulean")
                LocalCharacteristic(DeviceInformation.modelNumber, "Simulated lock")
            },
        ])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [0x1815]), interval: .milliseconds(100))
        try await advertise(parameters, of: published, on: server) {
            ready()
            while true { try await server.host.loop.sleep(for: .seconds(3600)) }
        }
    }
}

extension PeripheralServer {
    /// Lets centrals pair with a simulated device that has a display and two buttons, which agree by themselves.
    func acceptPairing(as name: String) async {
        let display = SimulatedLock.display
        var responder = PairingResponder()
        responder.confirmJustWorks = { _ in true }
        responder.showPasskey = { _, digits in
            display("[\(name) displays] passkey \(digits)")
            return true
        }
        responder.compareNumbers = { _, digits in
            display("[\(name) displays] \(digits): same number there? (its buttons say yes)")
            return true
        }
        responder.replaceBond = { _, _, _ in true }
        await setPairing(
            PairingPolicy(ioCapability: .displayYesNo, acceptsPairing: true, confirmsJustWorks: false),
            responder: responder)
    }
}
