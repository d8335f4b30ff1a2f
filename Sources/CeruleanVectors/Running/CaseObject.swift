// SPDX-License-Identifier: Apache-2.0

import CeruleanRecording
public import CeruleanWire

/// Reads an object of a vector file so that nothing in it goes unnoticed: each member is taken once, of its exact type, and
/// ``finish()`` fails if one is left over.
public struct CaseObject: Sendable {
    /// Where the object stands, for messages.
    public let path: String
    private var members: [(name: String, value: FieldValue)]

    /// Opens an object.
    ///
    /// - Throws: ``CaseFailure`` if `value` is none.
    public init(_ value: FieldValue, at path: String) throws(CaseFailure) {
        guard case .object(let members) = value else { throw CaseFailure("\(path): no object") }
        self.path = path
        self.members = members.map { ($0.name, $0.value) }
    }

    /// The names of the members not yet taken.
    public var names: [String] { members.map(\.name) }

    /// Where the member `name` stands, for messages.
    public func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Takes a member if there is one.
    public mutating func optional(_ name: String) -> FieldValue? {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        return members.remove(at: index).value
    }

    /// Takes a member that must be there.
    public mutating func required(_ name: String) throws(CaseFailure) -> FieldValue {
        guard let value = optional(name) else { throw CaseFailure("\(path(of: name)) is missing") }
        return value
    }

    /// Takes a whole number.
    public mutating func integer(_ name: String) throws(CaseFailure) -> Int {
        guard case .integer(let number) = try required(name) else { throw wrongType(name, "whole number") }
        return Int(number)
    }

    /// Takes a number, whole or not.
    public mutating func number(_ name: String) throws(CaseFailure) -> Double {
        switch try required(name) {
        case .integer(let number): return Double(number)
        case .number(let number): return number
        default: throw wrongType(name, "number")
        }
    }

    /// Takes a text.
    public mutating func text(_ name: String) throws(CaseFailure) -> String {
        guard case .text(let text) = try required(name) else { throw wrongType(name, "text") }
        return text
    }

    /// Takes true or false.
    public mutating func bool(_ name: String) throws(CaseFailure) -> Bool {
        guard case .bool(let flag) = try required(name) else { throw wrongType(name, "true or false") }
        return flag
    }

    /// Takes a list.
    public mutating func list(_ name: String) throws(CaseFailure) -> [FieldValue] {
        guard case .list(let values) = try required(name) else { throw wrongType(name, "list") }
        return values
    }

    /// Takes a list of whole numbers.
    public mutating func integers(_ name: String) throws(CaseFailure) -> [Int] {
        var numbers: [Int] = []
        for value in try list(name) {
            guard case .integer(let number) = value else { throw wrongType(name, "list of whole numbers") }
            numbers.append(Int(number))
        }
        return numbers
    }

    /// Takes a list of texts.
    public mutating func texts(_ name: String) throws(CaseFailure) -> [String] {
        var texts: [String] = []
        for value in try list(name) {
            guard case .text(let text) = value else { throw wrongType(name, "list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// Takes an object.
    public mutating func object(_ name: String) throws(CaseFailure) -> CaseObject {
        try CaseObject(try required(name), at: path(of: name))
    }

    /// Takes octets written in hexadecimal.
    public mutating func hex(_ name: String) throws(CaseFailure) -> [UInt8] {
        let text = try text(name)
        do {
            return try Hex.decode(text)
        } catch {
            throw CaseFailure("\(path(of: name)): \(error)")
        }
    }

    /// Fails if a member has not been taken.
    public func finish() throws(CaseFailure) {
        guard members.isEmpty else {
            throw CaseFailure("\(path.isEmpty ? "case" : path): unknown \(names.joined(separator: ", "))")
        }
    }

    /// A failure about the type of a member.
    public func wrongType(_ name: String, _ wanted: String) -> CaseFailure {
        CaseFailure("\(path(of: name)): no \(wanted)")
    }
}

/// Compares what came out with what a case expects.
public enum Expectation {
    /// Compares trees: objects by their set of names, whole numbers exactly, others within `relative` or `absolute`.
    ///
    /// - Throws: ``CaseFailure`` that names the first place where they differ.
    public static func compare(
        _ actual: FieldValue, with expected: FieldValue, at path: String, relative: Double = 1e-6, absolute: Double = 0
    ) throws(CaseFailure) {
        func fail() throws(CaseFailure) -> Never {
            throw CaseFailure(
                "\(path): expected \(shortened(JSONText.encode(expected))), got \(shortened(JSONText.encode(actual)))")
        }
        switch (actual, expected) {
        case (.object(let found), .object(let wanted)):
            for member in wanted {
                let inner = path.isEmpty ? member.name : "\(path).\(member.name)"
                guard let value = actual[member.name] else {
                    throw CaseFailure("\(inner): nothing of this name came out")
                }
                try compare(value, with: member.value, at: inner, relative: relative, absolute: absolute)
            }
            for member in found where expected[member.name] == nil {
                throw CaseFailure("\(path): \(member.name) came out and is not expected")
            }
        case (.list(let found), .list(let wanted)):
            guard found.count == wanted.count else {
                throw CaseFailure("\(path): expected \(wanted.count) elements, got \(found.count)")
            }
            for index in found.indices {
                try compare(
                    found[index], with: wanted[index], at: "\(path)[\(index)]", relative: relative, absolute: absolute)
            }
        case (.bytes(let found), .text(let wanted)):
            if Hex.encode(found) != wanted { try fail() }
        case (.number(let found), .number(let wanted)):
            if !isClose(found, wanted, relative: relative, absolute: absolute) { try fail() }
        case (.number(let found), .integer(let wanted)):
            if !isClose(found, Double(wanted), relative: relative, absolute: absolute) { try fail() }
        default:
            if actual != expected { try fail() }
        }
    }

    /// True if the numbers differ by no more than `absolute`, or `relative` of the expected one.
    public static func isClose(_ a: Double, _ expected: Double, relative: Double, absolute: Double) -> Bool {
        if a == expected { return true }
        guard a.isFinite, expected.isFinite else { return false }
        return abs(a - expected) <= max(absolute, relative * abs(expected))
    }

    private static func shortened(_ text: String) -> String {
        text.count <= 160 ? text : text.prefix(160) + "…"
    }
}
