// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// Reads databases that ``SQLiteWriter`` wrote, all sessions.
enum SQLiteReader {
    static func read(_ path: String) throws(RecordingError) -> [RecordedSession] {
        do throws(RecordingError) {
            let database = try SQLiteDatabase(path, writes: false)
            let sessions = try database.rows(
                "SELECT id,kind,name,address,firmware,model,rate,start,reason FROM session ORDER BY id", limit: 10_000)
            guard !sessions.isEmpty else {
                throw RecordingError(.badData, path: path, detail: "there is no recording in this database")
            }
            var all: [RecordedSession] = []
            for row in sessions { all.append(try session(row, in: database, path)) }
            return all
        } catch {
            // Whatever is wrong with the statements is wrong with the file.
            throw error.code == .cannotWrite ? RecordingError(.badData, path: path, detail: error.detail) : error
        }
    }

    private static func session(
        _ row: [SQLiteValue], in database: SQLiteDatabase, _ path: String
    ) throws(RecordingError) -> RecordedSession {
        guard let id = row[0].integer, let kind = row[1].text, let name = row[2].text else {
            throw RecordingError(.badData, path: path, detail: "a session without a name")
        }
        let rate = row[6].number.flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
        let channels = try channels(of: id, rate: rate, in: database)
        guard !channels.isEmpty else {
            throw RecordingError(.badData, path: path, detail: "session \(id) has no channel")
        }
        let source = SourceDescription(
            kind: kind, name: name, address: row[3].text.flatMap { BluetoothAddress($0) }, firmware: row[4].text,
            model: row[5].text, channels: channels, rate: rate, sequenceBits: kind == "bitalino" ? 4 : nil)
        let names = channels.map { channel in
            "\"" + channel.name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                + "\""
        }
        let statement = try database.prepare(
            "SELECT \"index\",time,\(names.joined(separator: ",")) FROM samples_\(id) ORDER BY \"index\"")
        var session = RecordedSession(
            source: source, start: row[7].text.flatMap { WallTime(rfc3339: $0) }, values: [], isCut: row[8].text == nil)
        var indices: [Int] = []
        while try statement.step() {
            guard session.values.count + names.count <= RecordedSession.valueLimit else {
                throw RecordingError(.badData, path: path, detail: "too many values")
            }
            let index = statement.integer(0)
            guard index > indices.last ?? -1 else {
                throw RecordingError(.badData, path: path, detail: "an index below zero")
            }
            indices.append(index)
            if rate == nil { session.times.append(statement.number(1)) }
            for column in names.indices { session.values.append(statement.number(column + 2)) }
        }
        if indices.first ?? 0 != 0 || indices.count != (indices.last ?? -1) + 1 { session.indices = indices }
        session.marks = try database.rows(
            "SELECT \"index\",text FROM marker WHERE session=? ORDER BY \"index\",rowid", [.integer(id)]
        ).compactMap { row in
            guard let index = row[0].integer, let text = row[1].text else { return nil }
            return RecordedSession.Mark(index: Int(index), text: text)
        }
        return session
    }

    private static func channels(
        of id: Int64, rate: Double?, in database: SQLiteDatabase
    ) throws(RecordingError) -> [Channel] {
        try database.rows(
            """
            SELECT name,quantity,unit,resolution,minimum,maximum,role,sensor,convertedUnit,slope,intercept FROM channel
            WHERE session=? ORDER BY position
            """, [.integer(id)], limit: 2000
        ).map { row in
            var channel = Channel(
                name: row[0].text ?? "", quantity: Quantity(rawValue: row[1].text ?? "unspecified"),
                unit: row[2].text ?? "", resolution: row[3].integer.flatMap { (1...64).contains($0) ? Int($0) : nil },
                rate: rate, role: Channel.Role(word: row[6].text ?? ""), sensor: row[7].text)
            if let least = row[4].number, let greatest = row[5].number, least <= greatest {
                channel.range = least...greatest
            }
            if let slope = row[9].number, let intercept = row[10].number {
                channel.conversion = Conversion(
                    name: row[7].text ?? channel.name, unit: row[8].text ?? "",
                    formula: .linear(slope: slope, intercept: intercept))
            }
            return channel
        }
    }
}
