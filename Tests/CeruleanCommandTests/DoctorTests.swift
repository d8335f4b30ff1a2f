// SPDX-License-Identifier: Apache-2.0
import Cerulean
import CeruleanWire
import Testing

@testable import CeruleanCommand

@Suite struct DoctorTests {
    static func machine(
        directories: [String: [String]], files: [String: String], adapter: Result<UInt16, BluetoothError>
    ) -> Machine {
        Machine(names: { directories[$0] }, text: { files[$0] }, openAdapter: { adapter })
    }

    @Test func aHealthyMachineIsAllRight() {
        let checks = Self.machine(
            directories: [
                "/sys/class/bluetooth": ["hci0", "hci0:64"], "/sys/class/rfkill": ["rfkill0", "rfkill1"],
                "/proc": ["1"],
            ],
            files: [
                "/sys/class/rfkill/rfkill0/type": "wlan", "/sys/class/rfkill/rfkill1/type": "bluetooth",
                "/sys/class/rfkill/rfkill1/soft": "0", "/sys/class/rfkill/rfkill1/hard": "0",
                "/proc/self/status": "Name:\tx\nCapEff:\t000001ffffffffff", "/proc/1/comm": "init",
            ], adapter: .success(0)
        ).checks()
        #expect(checks.map(\.name) == ["kernel", "adapter", "switch", "rights", "bluetoothd", "channel"])
        #expect(checks.allSatisfy { $0.status == .ok && $0.advice == nil })
        #expect(checks[1].detail == "hci0")
    }

    @Test func everythingThatIsWrongHasAdvice() {
        let checks = Self.machine(
            directories: ["/sys/class/rfkill": ["rfkill0", "rfkill1"], "/proc": ["1", "22"]],
            files: [
                "/sys/class/rfkill/rfkill0/type": "bluetooth", "/sys/class/rfkill/rfkill0/soft": "1",
                "/sys/class/rfkill/rfkill1/type": "bluetooth", "/sys/class/rfkill/rfkill1/hard": "1",
                "/proc/self/status": "CapEff:\t0000000000001000", "/proc/22/comm": "bluetoothd",
            ], adapter: .failure(BluetoothError(.noAdapter, "opening hci"))
        ).checks()
        #expect(checks.count == 7)
        #expect(checks.allSatisfy { $0.status != .ok && $0.advice != nil })
        #expect(checks.filter { $0.status == .warning }.map(\.name) == ["bluetoothd"])
    }

    @Test func withoutAdaptersNoneIsFree() {
        let checks = Self.machine(
            directories: ["/proc": ["1"]], files: ["/proc/1/comm": "init"],
            adapter: .failure(BluetoothError(.noAdapter, "opening hci"))
        ).checks()
        #expect(checks.first { $0.name == "bluetoothd" }?.detail == "not running")
    }

    @Test func looksAtTheAdapterThatIsNamed() async {
        let air = TestConsole()
        #expect(await air.run("doctor", "--adapter", "virtual", "--json") == .ok)
        #expect(air.objects.map { $0["status"] } == ["ok"])
        let nobody = TestConsole()
        #expect(await nobody.run("doctor", "--adapter", "unix:/nonexistent", "--json") == .noAdapter)
        #expect(nobody.objects.map { $0["status"] } == ["failed"])
        #expect(await TestConsole().run("doctor", "--adapter", "nonsense") == .usage)
    }

    @Test func saysItInJSON() async {
        let test = TestConsole()
        let code = await test.run("doctor", "--json")
        #expect(code == .ok || code == .noAdapter)
        #expect(test.objects.count >= 5)
        #expect(test.objects.allSatisfy { $0["check"] != nil && $0["status"] != nil && $0["detail"] != nil })
        #expect((test.objects.last?["status"] == "ok") == (code == .ok))
    }
}
