// SPDX-License-Identifier: Apache-2.0

import CeruleanAdapters
import CeruleanHost
import CeruleanStack
import CeruleanTransport
import CeruleanWire
import Foundation

/// Where the bonds of a verb are: `--bonds FILE`, else a file for each adapter below the user's state directory.
struct BondChoice: Sendable {
    /// The file.
    var path: String
    /// The name of the adapter that the file belongs to.
    var adapter: String
    /// Keeps the bonds for a host.
    var store: ProgramBondStore

    /// The identity that the bonds were made with; nil while there are none.
    var identity: DeviceAddress? {
        guard let database = try? store.load(), !database.bonds.isEmpty else { return nil }
        return database.adapterAddress
    }

    /// Opens the bonds of an adapter. Nil when there is nowhere to keep them, or when another run of the program holds the
    /// default file: that run knows its peers, and this one does without.
    ///
    /// - Parameter identity: the address that a host was told to have; bonds of different identities do not mix.
    /// - Throws: ``CommandError`` with ``ExitCode/cannotWrite`` when the file of `--bonds` is in use.
    static func open(
        _ invocation: Invocation, adapter text: String, identity: DeviceAddress?
    ) throws(CommandError) -> BondChoice? {
        let adapter = canonicalName(text) + (identity.map { "@\($0.address)" } ?? "")
        guard let path = invocation.value("bonds") ?? defaultPath(invocation.environment, adapter: adapter) else {
            return nil
        }
        let store = ProgramBondStore(path: path, adapter: adapter)
        if store.claim() {
            try check(store, invocation)
            return BondChoice(path: path, adapter: adapter, store: store)
        }
        let isNeeded = invocation.has("bonds") || invocation.verb.changesBonds
        guard isNeeded else { return nil }
        throw CommandError(.cannotWrite, "\(path): another cerulean uses these bonds; give others with --bonds FILE")
    }

    /// A file that cannot be used is said before anything else happens.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/badData``.
    static func check(_ store: ProgramBondStore, _ invocation: Invocation) throws(CommandError) {
        do throws(BondStoreError) {
            _ = try store.load()
        } catch {
            // What may not be read says whoever opens the adapter, which may be forbidden too.
            guard error.code != .unreadable else { return }
            throw .badData("\(error.location): \(error.reason)")
        }
        if store.isRecovered {
            invocation.notice(recovery(store.path))
        }
    }

    /// What is said about a damaged file beside which there is a copy.
    static func recovery(_ path: String) -> String {
        "\(path) is damaged: the bonds of before, in \(path).previous, are used"
    }

    /// The directory of default files; nil when the environment names no home.
    static func directory(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/cerulean/bonds" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.local/state/cerulean/bonds"
    }

    /// The default file of an adapter.
    static func defaultPath(_ environment: [String: String], adapter: String) -> String? {
        let name = adapter.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "_" }
        return directory(environment).map { $0 + "/" + String(name) + ".bonds" }
    }

    /// One name for one adapter, however it was written: `auto` is the controller that it takes.
    static func canonicalName(_ text: String) -> String {
        if text == "auto", let index = try? UserChannelTransport.firstAvailable() { return "hci:\(index)" }
        return text.hasPrefix("hci:hci") ? "hci:" + text.dropFirst(7) : text
    }

    /// The address of the simulated room's host.
    static let virtualIdentity = DeviceAddress(BluetoothAddress(rawValue: 0xC7_CE00_0000_01), .random)

    /// The address that a host on a controller without one of its own for good uses: simulated and bridged controllers get
    /// another address at each connection, which bonded peers could not know again. Nil leaves it to the controller.
    static func identity(
        for text: String, bonds: BondChoice?, verb: VerbSpecification
    ) -> DeviceAddress? {
        guard let bonds, !text.hasPrefix("hci:"), !text.hasPrefix("serial:"), text != "auto" else { return nil }
        if let known = bonds.identity { return known }
        guard verb.changesBonds else { return nil }
        if text == "virtual" || text.hasPrefix("virtual:") { return virtualIdentity }
        return DeviceAddress(StackConfiguration().randomAddress, .random)
    }
}

extension BondStoreError {
    /// Why bonds cannot be used, and what to do.
    var reason: String {
        switch code {
        case .damaged: "is damaged and there is no copy of before; move it away to begin without bonds"
        case .unknownVersion: "a later version of this program wrote it"
        case .foreignAdapter: "belongs to another adapter; give others with --bonds FILE"
        default: "cannot be read" + (system.map { ": " + String(cString: strerror($0)) } ?? "")
        }
    }
}
