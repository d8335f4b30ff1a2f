// SPDX-License-Identifier: Apache-2.0

import CCeruleanSQLite

/// A value in a row of a database.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case number(Double)
    case text(String)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}

/// An open database. Not safe for concurrent use.
final class SQLiteDatabase {
    private let path: String
    private let database: OpaquePointer

    /// - Throws: ``RecordingError`` `.cannotWrite` or `.cannotRead`.
    init(_ path: String, writes: Bool) throws(RecordingError) {
        var opened: OpaquePointer?
        let code = cerulean_sqlite_open(path, writes ? 1 : 0, &opened)
        guard code == CERULEAN_SQLITE_OK, let opened else {
            let detail = opened.map { String(cString: cerulean_sqlite_message($0)) } ?? "SQLite is not available"
            if let opened { cerulean_sqlite_close(opened) }
            throw RecordingError(writes ? .cannotWrite : .cannotRead, path: path, detail: "cannot be opened: \(detail)")
        }
        self.path = path
        database = opened
    }

    deinit { cerulean_sqlite_close(database) }

    func failure(_ code: Int32) -> RecordingError {
        let text = String(cString: cerulean_sqlite_message(database))
        if code == CERULEAN_SQLITE_FULL {
            return RecordingError(
                .diskFull, path: path, detail: "no room is left (\(text)); what was recorded before is in the file")
        }
        // 26: no database; 11: damaged.
        let isData = code & 0xFF == 26 || code & 0xFF == 11
        return RecordingError(isData ? .badData : .cannotWrite, path: path, detail: text)
    }

    func execute(_ sql: String) throws(RecordingError) {
        let code = cerulean_sqlite_execute(database, sql)
        if code != CERULEAN_SQLITE_OK { throw failure(code) }
    }

    var lastRow: Int64 { cerulean_sqlite_last_row(database) }

    func prepare(_ sql: String) throws(RecordingError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = cerulean_sqlite_prepare(database, sql, &statement)
        guard code == CERULEAN_SQLITE_OK, let statement else { throw failure(code) }
        return SQLiteStatement(statement, of: self)
    }

    /// Runs a statement once.
    func run(_ sql: String, _ values: [SQLiteValue]) throws(RecordingError) {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
        try statement.run()
    }

    /// All rows of a query, at most `limit`.
    func rows(_ sql: String, _ values: [SQLiteValue] = [], limit: Int = 1_000_000) throws(RecordingError)
        -> [[SQLiteValue]]
    {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
        var rows: [[SQLiteValue]] = []
        while try statement.step() {
            guard rows.count < limit else {
                throw RecordingError(.badData, path: path, detail: "more than \(limit) rows")
            }
            rows.append((0..<statement.columnCount).map { statement.value($0) })
        }
        return rows
    }
}

/// A prepared statement.
final class SQLiteStatement {
    private let statement: OpaquePointer
    private let database: SQLiteDatabase

    init(_ statement: OpaquePointer, of database: SQLiteDatabase) {
        self.statement = statement
        self.database = database
    }

    deinit { cerulean_sqlite_finalize(statement) }

    func bind(_ value: SQLiteValue, at index: Int) {
        switch value {
        case .null: cerulean_sqlite_bind_null(statement, Int32(index))
        case .integer(let number): cerulean_sqlite_bind_integer(statement, Int32(index), number)
        case .number(let number): cerulean_sqlite_bind_number(statement, Int32(index), number)
        case .text(let text): cerulean_sqlite_bind_text(statement, Int32(index), text, Int32(text.utf8.count))
        }
    }

    func bind(_ number: Double, at index: Int) {
        if number.isFinite {
            cerulean_sqlite_bind_number(statement, Int32(index), number)
        } else {
            cerulean_sqlite_bind_null(statement, Int32(index))
        }
    }

    func bind(_ number: Int, at index: Int) { cerulean_sqlite_bind_integer(statement, Int32(index), Int64(number)) }

    /// True if there is a row.
    func step() throws(RecordingError) -> Bool {
        let code = cerulean_sqlite_step(statement)
        switch code {
        case CERULEAN_SQLITE_ROW: return true
        case CERULEAN_SQLITE_DONE: return false
        default: throw database.failure(code)
        }
    }

    /// Runs to the end, and is ready for the next values.
    func run() throws(RecordingError) {
        while try step() {}
        cerulean_sqlite_reset(statement)
    }

    var columnCount: Int { Int(cerulean_sqlite_columns(statement)) }

    func value(_ column: Int) -> SQLiteValue {
        switch cerulean_sqlite_type(statement, Int32(column)) {
        case CERULEAN_SQLITE_INTEGER: return .integer(cerulean_sqlite_integer(statement, Int32(column)))
        case CERULEAN_SQLITE_FLOAT: return .number(cerulean_sqlite_number(statement, Int32(column)))
        case CERULEAN_SQLITE_TEXT:
            var length: Int32 = 0
            guard let text = cerulean_sqlite_text(statement, Int32(column), &length) else { return .null }
            return .text(String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self))
        default: return .null
        }
    }

    /// A number without going through a value; not a number for NULL.
    func number(_ column: Int) -> Double {
        cerulean_sqlite_type(statement, Int32(column)) == CERULEAN_SQLITE_NULL
            ? .nan : cerulean_sqlite_number(statement, Int32(column))
    }

    func integer(_ column: Int) -> Int { Int(cerulean_sqlite_integer(statement, Int32(column))) }
}
