// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A command to the Record Access Control Point (2A52) of a meter, or its answer.
///
/// ```swift
/// let command = RecordAccess(.report, .from(minimum: 17))   // 01 03 01 11 00
/// ```
public struct RecordAccess: ListedValue, Hashable {
    /// What is to be done. An open set.
    public struct Operation: RawRepresentable, Hashable, Sendable {
        /// The octet.
        public let rawValue: UInt8
        /// An operation by its octet.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Notify the records (1).
        public static let report = Self(rawValue: 1)
        /// Delete the records (2).
        public static let delete = Self(rawValue: 2)
        /// Abort what is going on (3).
        public static let abort = Self(rawValue: 3)
        /// Tell how many records there are (4).
        public static let count = Self(rawValue: 4)
        /// The answer to ``count`` (5).
        public static let countAnswer = Self(rawValue: 5)
        /// The answer to the other operations (6).
        public static let answer = Self(rawValue: 6)
    }

    /// Which records are meant.
    public enum Selection: Hashable, Sendable {
        /// All.
        case all
        /// Those up to a number: the sequence number of glucose meters, the minutes of continuous monitors.
        case upTo(maximum: UInt16)
        /// Those from a number on.
        case from(minimum: UInt16)
        /// Those between two numbers, both included.
        case range(UInt16, UInt16)
        /// The oldest.
        case first
        /// The newest.
        case last
    }

    /// How an operation ended. An open set.
    public struct Outcome: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet.
        public let rawValue: UInt8
        /// An outcome by its octet.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Done (1).
        public static let success = Self(rawValue: 1)
        /// No record fits (6).
        public static let noRecords = Self(rawValue: 6)

        /// What went wrong, in words.
        public var description: String {
            let words = [
                "success", "operation not supported", "invalid operator", "operator not supported", "invalid operand",
                "no records found", "abort unsuccessful", "procedure not completed", "operand not supported",
                "server busy",
            ]
            return (1...words.count).contains(Int(rawValue)) ? words[Int(rawValue) - 1] : "outcome \(rawValue)"
        }
    }

    /// What is to be done, or which kind of answer it is.
    public var operation = Operation(rawValue: 0)
    /// The operator's octet: 0 none, 1 all, 2 up to, 3 from, 4 range, 5 first, 6 last.
    public var operatorCode: UInt8 = 0
    /// The octets behind it.
    public var operand: [UInt8] = []

    /// Nothing to do.
    public init() {}

    /// A command about some records; numbers are the filter of type 1.
    public init(_ operation: Operation, _ selection: Selection = .all) {
        self.operation = operation
        func octets(_ numbers: UInt16...) -> [UInt8] {
            [1] + numbers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        }
        switch selection {
        case .all: operatorCode = 1
        case .upTo(let maximum): (operatorCode, operand) = (2, octets(maximum))
        case .from(let minimum): (operatorCode, operand) = (3, octets(minimum))
        case .range(let least, let greatest): (operatorCode, operand) = (4, octets(least, greatest))
        case .first: operatorCode = 5
        case .last: operatorCode = 6
        }
        if operation == .abort { (operatorCode, operand) = (0, []) }
    }

    /// The answer to a command.
    public init(answerTo operation: Operation, _ outcome: Outcome) {
        self.operation = .answer
        operand = [operation.rawValue, outcome.rawValue]
    }

    /// The answer to ``Operation/count``.
    public init(count: UInt16) {
        operation = .countAnswer
        operand = [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
    }

    /// The records that a command means; nil if its octets hold no such command, or a filter of another type.
    public var selection: Selection? {
        func number(_ place: Int) -> UInt16 { UInt16(operand[place]) | UInt16(operand[place + 1]) << 8 }
        switch (operatorCode, operand.count) {
        case (1, 0): return .all
        case (5, 0): return .first
        case (6, 0): return .last
        case (2, 3) where operand[0] == 1: return .upTo(maximum: number(1))
        case (3, 3) where operand[0] == 1: return .from(minimum: number(1))
        case (4, 5) where operand[0] == 1: return number(1) <= number(3) ? .range(number(1), number(3)) : nil
        default: return nil
        }
    }

    /// How an operation ended, of an answer.
    public var outcome: (operation: Operation, outcome: Outcome)? {
        guard operation == .answer, operand.count >= 2 else { return nil }
        return (Operation(rawValue: operand[0]), Outcome(rawValue: operand[1]))
    }

    /// How many records there are, of an answer.
    public var recordCount: Int? {
        guard operation == .countAnswer, operand.count >= 2 else { return nil }
        return Int(operand[0]) | Int(operand[1]) << 8
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        var code = operation.rawValue
        try coder.integer("opcode", &code)
        operation = Operation(rawValue: code)
        try coder.integer("operator", &operatorCode)
        try coder.rest("operand", &operand)
    }
}

extension RecordAccess.Selection {
    /// Whether a record with this number belongs to it; ``first`` and ``last`` are for who knows all records.
    public func contains(_ number: UInt16) -> Bool {
        switch self {
        case .all, .first, .last: true
        case .upTo(let maximum): number <= maximum
        case .from(let minimum): number >= minimum
        case .range(let least, let greatest): least <= number && number <= greatest
        }
    }

    /// The records among all, which stand in the order of their numbers.
    public func records<Record>(of all: [Record], number: (Record) -> UInt16) -> [Record] {
        switch self {
        case .first: Array(all.prefix(1))
        case .last: Array(all.suffix(1))
        default: all.filter { contains(number($0)) }
        }
    }
}
