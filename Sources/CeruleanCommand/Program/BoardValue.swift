// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanBlueST
import CeruleanWire

/// What a characteristic of a BlueST board carries, and how its values read.
struct BoardValue: Sendable {
    private let decoder: CharacteristicDecoder

    /// The features of a characteristic on a device that advertised, or whose UUIDs say, that it is a BlueST board.
    init?(_ uuid: BluetoothUUID, on peripheral: Peripheral) {
        switch BlueSTUUID.kind(of: uuid) {
        case .features, .extended, .generalPurpose: break
        default: return nil
        }
        let seen = peripheral.lastAdvertisement.flatMap { try? BlueSTAdvertisement($0.fields) }
        decoder = CharacteristicDecoder(
            uuid, device: seen?.deviceID ?? 0, protocolVersion: seen?.protocolVersion ?? 2,
            advertised: seen?.featureMask)
        if decoder.slots.isEmpty { return nil }
    }

    /// The identifiers of the features.
    var features: [String] { decoder.slots.map(\.feature.id) }

    /// The names of the features.
    var title: String {
        var names: [String] = []
        for slot in decoder.slots where !names.contains(slot.feature.name) { names.append(slot.feature.name) }
        return names.joined(separator: ", ")
    }

    /// The name of a characteristic that carries no feature.
    static func title(of uuid: BluetoothUUID) -> String? {
        switch BlueSTUUID.kind(of: uuid) {
        case .terminal: "Debug Console"
        case .standardError: "Debug Console Errors"
        case .registers: "Registers"
        case .commands: "Feature Commands"
        default: nil
        }
    }

    /// Time and features of a value; nil if it is faulty from the beginning.
    func decoded(_ bytes: [UInt8]) -> FieldValue? {
        let report = Self.report(bytes, decoder)
        return report.error == nil ? .some(report.value) : .none
    }

    /// What a value holds, in the words of the vectors, and the fault if there is one.
    static func report(_ bytes: [UInt8], _ decoder: CharacteristicDecoder) -> (
        value: FieldValue, error: FeatureError?, consumed: Int
    ) {
        var decoder = decoder
        var features: [FieldValue] = []
        let outcome = decoder.decode(bytes) { sample in
            var members: [FieldValue.Member] = [
                .init("feature", .text(sample.feature.id)), .init("fields", .object(sample.members)),
            ]
            if !sample.isEnabled { members.append(.init("enabled", .bool(false))) }
            features.append(.object(members))
        }
        var members: [FieldValue.Member] = []
        if let raw = outcome.rawTimestamp { members.append(.init("timestamp", FieldValue(integer: raw))) }
        members.append(.init("features", .list(features)))
        if outcome.error == nil { members.append(.init("consumed", FieldValue(integer: outcome.consumed))) }
        return (.object(members), outcome.error, outcome.consumed)
    }
}

extension Session {
    /// Finds a BlueST board, connects, and finds its features.
    static func onBoard<Result: Sendable>(
        _ invocation: Invocation, _ body: (Session, Node) async throws -> Result
    ) async throws -> Result {
        var selector = try DeviceSelector(invocation)
        selector.onlyKind = selector.isAny ? "bluest" : nil
        let chosen = selector
        return try await run(invocation) { session in
            let discovery = try await chosen.find(with: session.central, timeout: session.timeout)
            let advertisement = try? BlueSTAdvertisement(discovery)
            let node = Node(discovery.peripheral, advertisement: advertisement, catalog: KnownDrivers.catalog)
            try await node.connect(timeout: session.timeout)
            return try await body(session, node)
        }
    }
}

extension Node {
    /// The feature called `id` on this device.
    ///
    /// - Throws: ``CommandError`` with ``ExitCode/notFound`` when a board lacks it, ``ExitCode/refused`` for a device that
    ///   is no BlueST board.
    func wanted(_ id: String) throws(CommandError) -> NodeFeature {
        do {
            return try feature(id: id)
        } catch {
            let known = features.map(\.feature.id).joined(separator: ", ")
            let isBoard = (peripheral?.services ?? []).flatMap(\.characteristics).contains { characteristic in
                switch BlueSTUUID.kind(of: characteristic.uuid) {
                case .features, .extended, .generalPurpose, .terminal, .registers, .commands: true
                default: false
                }
            }
            guard error.code == .notFound, isBoard || !known.isEmpty else {
                guard error.code == .notFound else { throw CommandError(describing: error) }
                throw CommandError(
                    .refused, "\(name) is no BlueST board: it has no features; 'info' shows what it has")
            }
            let what = isBoard ? "\(name) has no feature \(id)" : "\(name) is no BlueST board and has no feature \(id)"
            let rest = known.isEmpty ? "" : "; it has \(known)"
            throw CommandError(isBoard ? .notFound : .refused, what + rest)
        }
    }
}
