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
        #expect(air.objects.map { $0["check"] } == ["adapter", "controller", "features", "buffers"])
        #expect(air.objects.allSatisfy { $0["status"] == "ok" })
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

    @Test func namesDriversFirmwareAndHolders() {
        let machine = Machine(
            names: { path in
                [
                    "/sys/class/bluetooth": ["hci0"], "/proc": ["1", "77"], "/proc/77/fd": ["0", "5"],
                    "/proc/1/fd": ["0"],
                ][path]
            },
            text: { path in
                [
                    "/sys/class/bluetooth/hci0/device/uevent":
                        "DEVTYPE=usb_interface\nDRIVER=btusb\nPRODUCT=bda/8771/200", "/proc/77/comm": "sensord",
                    "/proc/net/hci": "sk RefCnt Rmem Wmem User Inode Parent\n0000 2 0 0 0 4711 0",
                ][path]
            },
            target: { $0 == "/proc/77/fd/5" ? "socket:[4711]" : "/dev/null" },
            kernelLog: {
                ["usb 1-1: new device", "Bluetooth: hci0: failed to load rtl_bt/rtl8761bu_fw.bin, firmware (-2)"]
            }, openAdapter: { .success(0) })
        let checks = machine.checks()
        #expect(checks.first { $0.name == "adapter" }?.detail == "hci0 (driver btusb, USB 0bda:8771)")
        #expect(checks.first { $0.name == "firmware" }?.detail.contains("rtl8761bu") == true)
        #expect(checks.first { $0.name == "firmware" }?.advice?.contains("apt install") == true)
        #expect(checks.first { $0.name == "holder" }?.detail == "adapters are used by sensord (77)")
    }
}
