// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// What a central manager had, for the process that comes after this one.
struct SavedCentral: Sendable, Codable, Hashable {
    struct Scan: Sendable, Codable, Hashable {
        var services: [String]?
        var solicited: [String]?
        var allowsDuplicates: Bool?
    }

    struct Peripheral: Sendable, Codable, Hashable {
        var identifier: UUID
        var name: String?
        /// Connected rather than wanted.
        var isConnected: Bool
        var reconnects: Bool
        var tree: KeptTree?
    }

    var scan: Scan?
    var peripherals: [Peripheral]

    var isEmpty: Bool { scan == nil && peripherals.isEmpty }
}

/// What a peripheral manager had.
struct SavedServer: Sendable, Codable, Hashable {
    struct Service: Sendable, Codable, Hashable {
        var uuid: String
        var isPrimary: Bool
        /// Places of the services that it includes, among the ones before it.
        var included: [Int]
        var characteristics: [Characteristic]
    }

    struct Characteristic: Sendable, Codable, Hashable {
        var uuid: String
        var properties: UInt
        var permissions: UInt
        var value: Data?
        var descriptors: [Descriptor]
    }

    struct Descriptor: Sendable, Codable, Hashable {
        var uuid: String
        var text: String?
        var data: Data?
    }

    struct Advertisement: Sendable, Codable, Hashable {
        var name: String?
        var services: [String]?
        var beacon: Data?
    }

    var services: [Service]
    var advertisement: Advertisement?

    var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

/// The file that keeps the state of one manager with a restore identifier, in place of Apple's system.
package final class RestorationFile: Sendable {
    package enum Role: String, Sendable {
        case central, peripheral
    }

    private struct State {
        var waiting: (@Sendable () -> Data?)?
        var isWriting = false
        var isClosed = false
    }

    /// All files, so that a save that waits never comes behind a later one.
    private static let queue = DispatchQueue(label: "cerulean.restoration")
    let file: String
    private let state = Guarded(State())

    /// Nil without an identifier.
    init?(_ role: Role, identifier: String?) {
        guard let identifier else { return nil }
        file = Self.name(role, identifier)
    }

    /// True when a process before left a state under the identifier.
    package static func exists(_ role: Role, identifier: String) -> Bool {
        StateDirectory.read(name(role, identifier)) != nil
    }

    private static func name(_ role: Role, _ identifier: String) -> String {
        "restore-\(role.rawValue)-\(StateDirectory.fileName(identifier)).json"
    }

    func load<Value: Decodable>(_ type: Value.Type) -> Value? {
        guard let data = Self.queue.sync(execute: { StateDirectory.read(file) }) else { return nil }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            CBLinuxLog.write("\(file) holds no state and is not used: \(error)")
            return nil
        }
    }

    /// Saves soon, in place of what waits to be saved. An empty state removes the file.
    func save<Value: Encodable & Sendable>(_ value: Value, isEmpty: Bool) {
        let isFirst = state { state in
            guard !state.isClosed else { return false }
            state.waiting = { isEmpty ? nil : try? JSONEncoder().encode(value) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { Self.queue.async { [self] in write() } }
    }

    /// The manager is gone while the process lives on: nothing is left to restore.
    func remove() {
        let wasOpen = state { state in
            defer {
                state.isClosed = true
                state.waiting = nil
            }
            return !state.isClosed
        }
        guard wasOpen else { return }
        let file = file
        Self.queue.async { StateDirectory.write(nil, to: file) }
    }

    /// Nothing more is saved: to the file, the process has ended.
    package func freeze() {
        Self.queue.sync {}
        state { $0.isClosed = true }
    }

    private func write() {
        while true {
            let next = state { state in
                defer { state.waiting = nil }
                if state.waiting == nil { state.isWriting = false }
                return state.waiting
            }
            guard let next else { return }
            StateDirectory.write(next(), to: file)
        }
    }
}
