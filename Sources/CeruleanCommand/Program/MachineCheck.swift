// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanTransport
import CeruleanWire
import Foundation

/// One thing that Bluetooth needs of a machine, and how it stands.
struct MachineCheck: Hashable, Sendable {
    /// How it stands.
    enum Status: String, Sendable {
        case ok, warning, failed
    }

    /// What was looked at, one word.
    var name: String
    var status: Status
    /// What was found.
    var detail: String
    /// What to do about it.
    var advice: String?
    /// It tells that an adapter was opened and answers.
    var isUsable = false

    /// The object of `doctor --json`.
    var fieldValue: FieldValue {
        var members: [FieldValue.Member] = [
            .init("check", .text(name)), .init("status", .text(status.rawValue)), .init("detail", .text(detail)),
        ]
        if let advice { members.append(.init("advice", .text(advice))) }
        return .object(members)
    }
}

/// What is looked at; tests put other answers in place.
struct Machine: Sendable {
    /// Names below a directory, sorted; nil when there is no such directory.
    var names: @Sendable (String) -> [String]?
    /// The text of a small file without the white space at its ends; nil when it cannot be read.
    var text: @Sendable (String) -> String?
    /// Where a symbolic link points.
    var target: @Sendable (String) -> String? = { _ in nil }
    /// What the kernel logged; nil when we may not know.
    var kernelLog: @Sendable () -> [String]? = { nil }
    /// The index of the first adapter that can be opened, or why there is none.
    var openAdapter: @Sendable () -> Result<UInt16, BluetoothError>

    /// This machine.
    static let real = Machine(
        names: { path in (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() },
        text: { path in
            guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
            defer { try? handle.close() }
            guard let data = try? handle.read(upToCount: 65536) else { return nil }
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        },
        target: { try? FileManager.default.destinationOfSymbolicLink(atPath: $0) },
        kernelLog: { KernelLog.lines() },
        openAdapter: {
            do throws(HostError) {
                return .success(try UserChannelTransport.firstAvailable())
            } catch {
                return .failure(BluetoothError(error, during: ""))
            }
        })

    /// Everything that is looked at, in the order in which it is needed.
    func checks() -> [MachineCheck] { surroundings() + [channel()] }

    /// All but whether an adapter can be opened.
    func surroundings() -> [MachineCheck] {
        [kernel(), adapters()] + (firmware().map { [$0] } ?? []) + switches() + [rights(), daemon()]
    }

    // MARK: - the checks

    private func kernel() -> MachineCheck {
        if names("/sys/class/bluetooth") != nil || names("/sys/module/bluetooth") != nil {
            return MachineCheck(name: "kernel", status: .ok, detail: "the kernel has Bluetooth")
        }
        return MachineCheck(
            name: "kernel", status: .failed, detail: "the kernel has no Bluetooth",
            advice: "load it with 'sudo modprobe bluetooth'; containers need a host that has it")
    }

    private func adapters() -> MachineCheck {
        let found = adapterNames.map(adapterText)
        guard !found.isEmpty else {
            return MachineCheck(
                name: "adapter", status: .failed, detail: "the kernel knows no adapter",
                advice: "plug one in; 'sudo dmesg | grep -i bluetooth' tells of missing firmware")
        }
        return MachineCheck(name: "adapter", status: .ok, detail: found.joined(separator: ", "))
    }

    private func switches() -> [MachineCheck] {
        (names("/sys/class/rfkill") ?? []).compactMap { name in
            let path = "/sys/class/rfkill/\(name)"
            guard text("\(path)/type") == "bluetooth" else { return nil }
            if text("\(path)/hard") == "1" {
                return MachineCheck(
                    name: "switch", status: .failed, detail: "\(name): off by a switch or key of the machine",
                    advice: "turn it on there")
            }
            if text("\(path)/soft") == "1" {
                return MachineCheck(
                    name: "switch", status: .failed, detail: "\(name): off by software",
                    advice: "turn it on with 'sudo rfkill unblock bluetooth'")
            }
            return MachineCheck(name: "switch", status: .ok, detail: "\(name): on")
        }
    }

    /// The user channel wants CAP_NET_ADMIN (12) and CAP_NET_RAW (13).
    private func rights() -> MachineCheck {
        let line = text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let digits = line?.dropFirst(7).filter { !$0.isWhitespace } ?? ""
        let capabilities = UInt64(digits, radix: 16) ?? 0
        if capabilities >> 12 & 3 == 3 {
            return MachineCheck(name: "rights", status: .ok, detail: "CAP_NET_ADMIN and CAP_NET_RAW are there")
        }
        return MachineCheck(
            name: "rights", status: .failed, detail: "CAP_NET_ADMIN or CAP_NET_RAW is missing",
            advice: "run as root, or once: sudo setcap cap_net_admin,cap_net_raw+eip PATH-OF-CERULEAN")
    }

    private func daemon() -> MachineCheck {
        let processes = (names("/proc") ?? []).filter { Int($0) != nil }
        guard processes.contains(where: { text("/proc/\($0)/comm") == "bluetoothd" }) else {
            let users = holders()
            if !users.isEmpty {
                return MachineCheck(
                    name: "holder", status: .warning, detail: "adapters are used by \(users.joined(separator: ", "))",
                    advice: "end it if an adapter is in use")
            }
            let hasAdapters = adapters().status == .ok
            return MachineCheck(
                name: "bluetoothd", status: .ok, detail: "not running" + (hasAdapters ? ": adapters are free" : ""))
        }
        return MachineCheck(
            name: "bluetoothd", status: .warning, detail: "runs and may hold adapters",
            advice: "for hci:N stop it with 'sudo systemctl stop bluetooth', or 'sudo btmgmt -i hciN power off'")
    }

    private func channel() -> MachineCheck {
        switch openAdapter() {
        case .success(let index):
            MachineCheck(name: "channel", status: .ok, detail: "hci\(index) can be opened: --adapter hci:\(index)")
        case .failure(let error):
            MachineCheck(
                name: "channel", status: .failed, detail: "no adapter can be opened: \(error)",
                advice: "without a radio use --adapter virtual, or tcp:HOST:PORT")
        }
    }
}
