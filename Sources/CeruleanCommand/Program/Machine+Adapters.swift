// SPDX-License-Identifier: Apache-2.0

extension Machine {
    /// The adapters that the kernel knows.
    var adapterNames: [String] {
        (names("/sys/class/bluetooth") ?? []).filter { $0.hasPrefix("hci") && !$0.contains(":") }
    }

    /// An adapter with its driver and where it is plugged in, as far as the kernel tells.
    func adapterText(_ name: String) -> String {
        var values: [Substring: Substring] = [:]
        for line in text("/sys/class/bluetooth/\(name)/device/uevent")?.split(separator: "\n") ?? [] {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        var details: [String] = []
        if let driver = values["DRIVER"] { details.append("driver \(driver)") }
        if let product = values["PRODUCT"]?.split(separator: "/"), product.count >= 2 {
            let padded = product.prefix(2).map { String(repeating: "0", count: max(0, 4 - $0.count)) + $0 }
            details.append("USB \(padded.joined(separator: ":"))")
        }
        return details.isEmpty ? name : "\(name) (\(details.joined(separator: ", ")))"
    }

    /// What the kernel said about firmware that it could not load; nil when it is not known to have said so.
    func firmware() -> MachineCheck? {
        guard let log = kernelLog() else { return nil }
        let lines = log.filter { line in
            let text = line.lowercased()
            let isAbout = text.contains("bluetooth") && text.contains("firmware")
            return isAbout && ["failed", "not found", "unable", "error", "-2)"].contains { text.contains($0) }
        }
        guard let last = lines.last else { return nil }
        return MachineCheck(
            name: "firmware", status: .warning, detail: last,
            advice: "install it, such as with 'sudo apt install firmware-linux firmware-realtek firmware-iwlwifi', "
                + "and plug the adapter in again")
    }

    /// Who has HCI sockets open: process name and number.
    func holders() -> [String] {
        let sockets = text("/proc/net/hci")?.split(separator: "\n").dropFirst() ?? []
        let inodes = Set(
            sockets.compactMap { line -> String? in
                let columns = line.split(separator: " ")
                return columns.count >= 6 ? "socket:[\(columns[5])]" : nil
            })
        guard !inodes.isEmpty else { return [] }
        var found: [String] = []
        for process in (names("/proc") ?? []) where Int(process) != nil {
            let descriptors = names("/proc/\(process)/fd") ?? []
            let holds = descriptors.contains { target("/proc/\(process)/fd/\($0)").map(inodes.contains) ?? false }
            if holds { found.append("\(text("/proc/\(process)/comm") ?? "?") (\(process))") }
        }
        return found
    }
}
