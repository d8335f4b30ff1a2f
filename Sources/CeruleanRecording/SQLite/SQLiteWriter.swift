// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// An SQLite database with one session for each recording: tables `session`, `channel`, `gap`, `marker`, and for each
/// session a
/// table `samples_<id>` with a column for each channel. Documentation/Recordings.md shows the schema and queries.
///
/// It is written in transactions of at most a quarter of a second into a write-ahead log: a process that is killed
/// leaves a
/// database that opens and holds all but that. A session that was cut off has no `reason`.
final class SQLiteWriter: RecordingWriter {
    let destination: RecordingDestination
    private let database: SQLiteDatabase
    private let session: Int64
    private let statement: SQLiteStatement
    private let rate: Double?
    private let channelCount: Int
    /// Blocks that wait for the next transaction.
    private var waiting: [(block: SampleBlock, arrival: WallTime)] = []

    /// Milliseconds that a block waits at most, and rows that wait at most.
    private static let patience: Int64 = 250
    private static let rowLimit = 2000
    private var waitingRows = 0

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        self.destination = destination
        let path: String
        switch destination {
        case .file(let name):
            // A new file; the check and SQLite's opening must not be two.
            try OutputFile(destination).close()
            path = name
        case .addition(let name): path = name
        case .standardOutput, .network:
            throw RecordingError(.unsupported, path: nil, detail: "SQLite needs a file of its own")
        }
        let database = try SQLiteDatabase(path, writes: true)
        self.database = database
        rate = header.source.rate
        channelCount = header.source.channels.count
        try database.execute(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA wal_autocheckpoint=2000;"
        )
        try database.execute("BEGIN IMMEDIATE")
        try Self.prepare(database, path)
        session = try Self.begin(header, in: database)
        try database.execute("COMMIT")
        let names = ["\"index\"", "time", "hostTime"] + header.source.channels.map { Self.quoted($0.name) }
        let marks = names.map { _ in "?" }.joined(separator: ",")
        statement = try database.prepare(
            "INSERT INTO samples_\(session)(\(names.joined(separator: ","))) VALUES(\(marks))")
    }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        waiting.append((block, arrival))
        waitingRows += block.rowCount
        let oldest = waiting[0].arrival.milliseconds
        let age = arrival.milliseconds - oldest
        if waitingRows >= Self.rowLimit || age >= Self.patience || age < 0 { try flush() }
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) {
        try flush()
        try insertGap(index: index, lost: lost, isAmbiguous: false)
    }

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {
        try flush()
        try database.run(
            "INSERT INTO marker(session,\"index\",time,text) VALUES(?,?,?,?)",
            [.integer(session), .integer(Int64(index)), .text(arrival.rfc3339), .text(text)])
    }

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) {
        try flush()
        try database.run(
            "UPDATE session SET samples=?, lost=?, reason=? WHERE id=?",
            [.integer(Int64(samples)), .integer(Int64(lost)), .text(reason.description), .integer(session)])
        // The log is folded into the file, so that a file alone can be passed on. Another writer may be at work: then
        // it does.
        _ = try? database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: - Private

    /// Writes what waits in one short transaction: others may write into the same database.
    private func flush() throws(RecordingError) {
        guard !waiting.isEmpty else { return }
        let blocks = waiting
        waiting = []
        waitingRows = 0
        try database.execute("BEGIN IMMEDIATE")
        do throws(RecordingError) {
            for (block, arrival) in blocks { try insert(block, arrival) }
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
        try database.execute("COMMIT")
    }

    private func insert(_ block: SampleBlock, _ arrival: WallTime) throws(RecordingError) {
        let host = Double(arrival.milliseconds) / 1000
        let indices = block.rowIndices
        for gap in block.gaps where indices.indices.contains(gap.row) {
            try insertGap(index: indices[gap.row] - gap.lost, lost: gap.lost, isAmbiguous: gap.isAmbiguous)
        }
        for (row, index) in indices.enumerated() {
            statement.bind(index, at: 1)
            statement.bind(block.time(ofRow: row, index: index, rate: rate), at: 2)
            statement.bind(host, at: 3)
            let values = block[row: row]
            for column in 0..<channelCount {
                statement.bind(column < values.count ? values[values.startIndex + column] : .nan, at: column + 4)
            }
            try statement.run()
        }
    }

    private func insertGap(index: Int, lost: Int, isAmbiguous: Bool) throws(RecordingError) {
        try database.run(
            "INSERT INTO gap(session,\"index\",lost,ambiguous) VALUES(?,?,?,?)",
            [.integer(session), .integer(Int64(index)), .integer(Int64(lost)), .integer(isAmbiguous ? 1 : 0)])
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Marks a file as ours (`CeRe`), and refuses one of somebody else.
    private static func prepare(_ database: SQLiteDatabase, _ path: String) throws(RecordingError) {
        let mark: Int64 = 0x4365_5265
        let found = try database.rows("PRAGMA application_id").first?.first?.integer ?? 0
        let tables = try database.rows("SELECT count(*) FROM sqlite_master").first?.first?.integer ?? 0
        guard found == mark || (found == 0 && tables == 0) else {
            throw RecordingError(
                .fileExists, path: path,
                detail: "this database holds something else than recordings; it was not touched")
        }
        let version = try database.rows("PRAGMA user_version").first?.first?.integer ?? 0
        guard version <= 1 else {
            throw RecordingError(.unsupported, path: path, detail: "this database has a later version, \(version)")
        }
        try database.execute(
            """
            PRAGMA application_id=\(mark);
            PRAGMA user_version=1;
            CREATE TABLE IF NOT EXISTS session(
              id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, address TEXT, firmware TEXT, model TEXT,
              rate REAL, start TEXT NOT NULL, samples INTEGER, lost INTEGER, reason TEXT);
            CREATE TABLE IF NOT EXISTS channel(
              session INTEGER NOT NULL REFERENCES session(id), position INTEGER NOT NULL, name TEXT NOT NULL,
              quantity TEXT NOT NULL, unit TEXT NOT NULL, resolution INTEGER, minimum REAL, maximum REAL,
              role TEXT NOT NULL, sensor TEXT, convertedUnit TEXT, slope REAL, intercept REAL,
              PRIMARY KEY(session, position));
            CREATE TABLE IF NOT EXISTS gap(
              session INTEGER NOT NULL REFERENCES session(id), "index" INTEGER NOT NULL, lost INTEGER NOT NULL,
              ambiguous INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE IF NOT EXISTS marker(
              session INTEGER NOT NULL REFERENCES session(id), "index" INTEGER NOT NULL, time TEXT NOT NULL,
              text TEXT NOT NULL);
            """)
    }

    private static func begin(_ header: RecordingHeader, in database: SQLiteDatabase) throws(RecordingError) -> Int64 {
        func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
        func number(_ value: Double?) -> SQLiteValue { value.map { .number($0) } ?? .null }
        let source = header.source
        try database.run(
            "INSERT INTO session(kind,name,address,firmware,model,rate,start) VALUES(?,?,?,?,?,?,?)",
            [
                .text(source.kind), .text(source.name), text(source.address?.description), text(source.firmware),
                text(source.model), number(source.rate), .text(header.start.rfc3339),
            ])
        let id = database.lastRow
        var columns: [String] = []
        for (position, channel) in source.channels.enumerated() {
            var line: (slope: Double, intercept: Double)?
            if case .linear(let slope, let intercept)? = channel.conversion?.formula { line = (slope, intercept) }
            let values: [SQLiteValue] = [
                .integer(id), .integer(Int64(position)), .text(channel.name), .text(channel.quantity.rawValue),
                .text(channel.unit), channel.resolution.map { .integer(Int64($0)) } ?? .null,
                number(channel.range?.lowerBound), number(channel.range?.upperBound), .text(channel.role.word),
                text(channel.sensor), text(channel.conversion?.unit), number(line?.slope), number(line?.intercept),
            ]
            try database.run(
                """
                INSERT INTO channel(session,position,name,quantity,unit,resolution,minimum,maximum,role,sensor,
                convertedUnit,slope,intercept) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)
                """, values)
            columns.append("\(quoted(channel.name)) REAL")
        }
        let list = (["\"index\" INTEGER PRIMARY KEY", "time REAL NOT NULL", "hostTime REAL NOT NULL"] + columns)
        try database.execute("CREATE TABLE samples_\(id)(\(list.joined(separator: ", ")))")
        return id
    }
}

extension Channel.Role {
    /// The role in one word.
    var word: String {
        switch self {
        case .value: "value"
        case .digitalInput: "digitalInput"
        case .digitalOutput: "digitalOutput"
        }
    }

    /// The role of a word; a value for any other.
    init(word: String) {
        switch word {
        case "digitalInput": self = .digitalInput
        case "digitalOutput": self = .digitalOutput
        default: self = .value
        }
    }
}
