// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanWire

/// Beacon frames, and values of profiles as octets and as text.
enum ProfileTargets {
    static let all: [FuzzTarget] = [beacons, catalog, texts]

    private static let frames: [[UInt8]] = [
        // iBeacon, AltBeacon, Eddystone UID, URL, TLM and EID, RuuviTag 3 and 5.
        [26, 0xFF, 0x4C, 0, 2, 21] + [UInt8](repeating: 0xE2, count: 16) + [0, 1, 0, 2, 0xC5],
        [27, 0xFF, 0x18, 1, 0xBE, 0xAC] + [UInt8](repeating: 0x11, count: 20) + [0xC5, 0],
        [3, 3, 0xAA, 0xFE, 23, 0x16, 0xAA, 0xFE, 0, 0xEB] + [UInt8](repeating: 7, count: 18),
        [3, 3, 0xAA, 0xFE, 13, 0x16, 0xAA, 0xFE, 0x10, 0xEB, 3, 0x61, 0x62, 0x63, 0, 0x64, 0x65, 7],
        [3, 3, 0xAA, 0xFE, 17, 0x16, 0xAA, 0xFE, 0x20, 0, 0x0B, 0xB8, 0x15, 0x80, 0, 0, 1, 0, 0, 0, 2, 0],
        [3, 3, 0xAA, 0xFE, 13, 0x16, 0xAA, 0xFE, 0x30, 0xEB, 1, 2, 3, 4, 5, 6, 7, 8],
        [17, 0xFF, 0x99, 4, 3, 0x29, 0x1A, 0x1E, 0xCE, 0x1E, 0xFC, 0x18, 0xFF, 0xF3, 0x04, 0x8E, 0x0B, 0x53],
        [
            27, 0xFF, 0x99, 4, 5, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0, 4, 0xFF, 0xFC, 4, 0x0C, 0xAC, 0x36, 0x42, 0,
            0xCD,
        ]
            + [0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F],
    ]

    /// What is read can be shown, and what can be sent reads back the same.
    private static let beacons = FuzzTarget.each("beacons", frames) { context, input in
        for beacon in AdvertisementFields(advertisement: input).beacons {
            _ = beacon.fields
            _ = beacon.identity
            guard let frame = beacon.frame as? any AdvertisableBeacon, let sent = try? frame.advertisement() else {
                continue
            }
            let again = AdvertisementFields(advertisement: sent).beacons
            context.expect(again.map(\.fields) == [beacon.fields], "\(beacon.kind) changes: \(Hex.encode(input))")
        }
    }

    /// Every characteristic of the catalog reads, shows and writes any octets.
    private static let catalog = FuzzTarget.each(
        "catalog", [[0x16, 60, 1, 2, 3], [0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0], []]
    ) { context, input in
        let all = ProfileCatalog.standard.services.flatMap(\.characteristics)
        let one = all[context.mutator.number(0...all.count - 1)]
        guard let fields = try? one.fields(of: input) else { return }
        _ = fields
        guard let texts = try? one.texts(of: input), !texts.isEmpty else { return }
        let pairs = Dictionary(texts.map { ($0.name, $0.text) }) { first, _ in first }
        guard let octets = try? one.octets(from: pairs, changing: input) else { return }
        let shown = try? one.texts(of: octets)
        context.expect(shown == texts, "\(one.uuid) changes as text: \(Hex.encode(input))")
    }

    /// Any text is read or refused, with a place within it.
    private static let texts = FuzzTarget.each(
        "value-texts", ["100", "-1", "0x2A", "1.5e3", "2026-11-30T22:45:00", "1, 2, 3", ""].map { Array($0.utf8) }
    ) { context, input in
        let text = String(decoding: input, as: UTF8.self)
        let all = ProfileCatalog.standard.services.flatMap(\.characteristics)
        let one = all[context.mutator.number(0...all.count - 1)]
        let names = one.emptyTexts.map(\.name)
        guard !names.isEmpty else { return }
        let name = names[context.mutator.number(0...names.count - 1)]
        do throws(TextError) {
            _ = try one.octets(from: [name: text], changing: one.initialValue)
        } catch {
            context.expect(
                (0...max(1, text.count)).contains(error.position),
                "\(one.uuid) \(name): place \(error.position) of '\(text)'")
        }
    }
}
