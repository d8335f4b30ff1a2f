// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing

/// Code in the shapes of applications and libraries. That it compiles without an import of Cerulean is half of the
/// test.
@Suite struct ConsumerTests {
    @Test func anApplicationWithItsOwnQueueStarts() {
        let scanner = QueueScanner()
        scanner.restart()
        #expect(scanner.peripherals.isEmpty)
    }

    @Test func errorsAreUsedAsOnApplesSystems() {
        let error: Error = CBError(.peripheralDisconnected)
        let code = (error as NSError).code
        #expect(code == CBError.Code.peripheralDisconnected.rawValue)
        switch error {
        case CBError.peripheralDisconnected: break
        default: Issue.record("no match")
        }
        if case CBError.connectionTimeout = error { Issue.record("a wrong match") }
    }

    @Test func managersCanBeSubclassed() {
        #expect(SharedManager.shared.delegate == nil)
        SharedManager.shared.secondary.isOn = false
        #expect(SharedManager.shared.secondary.state == .poweredOff)
        let manager = ScriptedManager(delegate: nil, queue: DispatchQueue(label: "scripted"))
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.scans == 1)
        #expect(manager.state == .poweredOn)
    }

    @Test func attributesCanBeSubclassed() {
        let characteristic = TaggedCharacteristic(
            type: CBUUID(string: "FEED"), properties: [.read], value: Data([1]), permissions: [.readable])
        characteristic.tag = 1
        #expect(characteristic.value == Data([1]))
        #expect(SessionError.missing(CBUUID().uuidString).localizedDescription.isEmpty == false)
    }
}
