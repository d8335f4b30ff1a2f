// SPDX-License-Identifier: Apache-2.0

import CeruleanWire
import Foundation
import Testing

/// Captures that `--trace` wrote, read by `cerulean trace` and by tshark: the same packets, the same fields.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TsharkTests {
    /// A field of tshark, the layer and the names that it has in ours, and how the two are compared.
    private struct Field: Sendable {
        var name: String
        var path: [String]
        var form = Form.number

        enum Form: Sendable {
            case number, octets, address, status
        }
    }

    private static let fields: [Field] = [
        Field(name: "bthci_cmd.opcode", path: ["hci", "opcode"]),
        Field(name: "bthci_evt.code", path: ["hci", "code"]),
        Field(name: "bthci_evt.le_meta_subevent", path: ["hci", "subevent"]),
        Field(name: "bthci_evt.status", path: ["hci", "status"], form: .status),
        Field(name: "bthci_acl.chandle", path: ["hci", "connection handle"]),
        Field(name: "bthci_acl.pb_flag", path: ["hci", "packet boundary flag"]),
        Field(name: "bthci_acl.length", path: ["hci", "data total length"]),
        Field(name: "btl2cap.length", path: ["l2cap", "pdu length"]),
        Field(name: "btl2cap.cid", path: ["l2cap", "channel id"]),
        Field(name: "btatt.handle", path: ["att", "attribute handle", "found attribute handle", "handle"]),
        Field(name: "btatt.starting_handle", path: ["att", "starting handle"]),
        Field(name: "btatt.ending_handle", path: ["att", "ending handle"]),
        Field(name: "btatt.client_rx_mtu", path: ["att", "client receive MTU"]),
        Field(name: "btatt.server_rx_mtu", path: ["att", "server receive MTU"]),
        Field(name: "btatt.value", path: ["att", "attribute value", "part attribute value", "value"], form: .octets),
        Field(name: "btsmp.max_enc_key_size", path: ["smp", "maximum encryption key size"]),
        Field(name: "btsmp.cfm_value", path: ["smp", "confirm value"], form: .octets),
        Field(name: "btsmp.random_value", path: ["smp", "random value"], form: .octets),
        Field(name: "btsmp.public_key_x", path: ["smp", "public key X"], form: .octets),
        Field(name: "btsmp.dhkey_check", path: ["smp", "DHKey check"], form: .octets),
        Field(name: "btsmp.bd_addr", path: ["smp", "address"], form: .address),
    ]

    @Test(arguments: ["btsnoop", "pcapng"])
    func weReadOurCapturesAsTsharkDoes(format: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tshark-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paired = "\(folder)/pair.\(format)"
        let run = try await cerulean(
            "pair", "--adapter", "virtual", "--name", "cerulean lock", "--pick", "first", "--yes", "--bonds",
            "\(folder)/bonds", "--trace", paired)
        #expect(run.status == 0, "\(run.errors)")
        let listed = "\(folder)/info.\(format)"
        let info = try await cerulean(
            "info", "--adapter", "virtual", "--name", "cerulean strap", "--pick", "first", "--json", "--trace", listed)
        #expect(info.status == 0, "\(info.errors)")
        // Values of a service that tshark does not know stay values for it.
        let measured = "\(folder)/bench.\(format)"
        let bench = try await cerulean(
            "bench", "notify", "--adapter", "virtual", "--seconds", "0.5", "--pick", "first", "--trace", measured)
        #expect(bench.status == 0, "\(bench.errors)")
        var compared: [String: Int] = [:]
        for path in [paired, listed, measured] { try await compare(path, &compared) }
        for field in Self.fields { #expect(compared[field.name] ?? 0 > 0, "no packet has \(field.name)") }
    }

    /// One packet of every kind that we describe, with octets that a seed decides: every field that both have is the same.
    @Test func everyFieldOfEveryKindIsThatOfTshark() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tshark-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = try PeerProcess(
            Programs.python, [Programs.file("Tests/Peers/tshark_compare.py"), Programs.cerulean, folder])
        let result = try await process.event("compared")
        let kinds = try #require(result["kinds"] as? Int)
        #expect(kinds > 300 && result["rows"] as? Int == kinds && result["theirs"] as? Int == kinds)
        let different = try #require(result["different"] as? [[String: Any]])
        #expect(different.isEmpty, "\(different.prefix(10))")
        let unmatched = try #require(result["unmatched"] as? [String: Int])
        #expect(unmatched.isEmpty, "\(unmatched)")
        let fields = try #require(result["fields"] as? [String: Int])
        let least = ["hci": 1200, "l2cap": 100, "att": 80, "smp": 40, "signaling": 30]
        for (layer, count) in least { #expect(fields[layer] ?? 0 > count, "\(layer): \(fields)") }
        print("tshark agrees on \(fields.values.reduce(0, +)) fields of \(kinds) packets")
    }

    private func compare(_ path: String, _ compared: inout [String: Int]) async throws {
        let ours = try await cerulean("trace", path, "--json")
        #expect(ours.status == 0, "\(ours.errors)")
        var arguments = ["-r", path, "-T", "fields", "-E", "occurrence=f"]
        for field in Self.fields { arguments += ["-e", field.name] }
        let tshark = try PeerProcess("/usr/bin/tshark", arguments)
        let rows = await tshark.rest()
        #expect(rows.count == ours.objects.count && rows.count > 50)
        for (index, (row, object)) in zip(rows, ours.objects).enumerated() {
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            for (field, column) in zip(Self.fields, columns) {
                let mine = Self.value(object, field)
                // Where the two differ in where a field stands, theirs decides that it is there.
                guard !column.isEmpty else { continue }
                // In answers that hold no handle tshark repeats that of the request.
                let opcode = (object["att"] as? [String: Any])?["opcode"] as? String
                if field.name == "btatt.handle", mine == nil, opcode?.hasSuffix("Response") == true { continue }
                #expect(mine == Self.normalized(column, field.form), "packet \(index + 1) of \(path): \(field.name)")
                compared[field.name, default: 0] += 1
            }
        }
    }

    private static func value(_ object: [String: Any], _ field: Field) -> String? {
        let layer = field.path.first.flatMap { object[$0] } as? [String: Any] ?? [:]
        let value = first(of: field.path.dropFirst(), in: layer)
        switch value {
        case let number as Int: return String(number)
        case let text as String: return text.lowercased()
        default: return nil
        }
    }

    /// The first member with one of these names, in the packet or in the first packet of a list in it.
    private static func first(of names: ArraySlice<String>, in object: [String: Any]) -> Any? {
        for name in names { if let value = object[name] { return value } }
        for value in object.values {
            if let list = value as? [[String: Any]], let found = list.first.flatMap({ first(of: names, in: $0) }) {
                return found
            }
        }
        return nil
    }

    private static func normalized(_ text: String, _ form: Field.Form) -> String {
        switch form {
        case .octets: return text.filter { $0 != ":" }.lowercased()
        case .address: return text.lowercased()
        case .number, .status:
            let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
            guard let number else { return text }
            guard form == .status else { return String(number) }
            return HCI.ErrorCode(rawValue: UInt8(truncatingIfNeeded: number)).description.lowercased()
        }
    }
}
