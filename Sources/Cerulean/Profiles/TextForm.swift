// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// One field of a value as text that people can read and change.
public struct TextField: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its value; empty when it is not there.
    public var text: String
    /// What may be written into it; empty when it is not a choice.
    public var choices: [String]
    /// It may be left out: an empty text means that it is not there.
    public var isOptional: Bool

    /// A field.
    public init(name: String, text: String, choices: [String] = [], isOptional: Bool = false) {
        self.name = name
        self.text = text
        self.choices = choices
        self.isOptional = isOptional
    }
}

/// Why a text does not hold a value.
public struct TextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field that does not fit.
    public var field: String
    /// The character of its text at which reading stopped, from 0.
    public var position: Int
    /// What is wrong there.
    public var reason: String

    /// An error.
    public init(field: String, position: Int, reason: String) {
        self.field = field
        self.position = position
        self.reason = reason
    }

    /// Field, place and reason: `period, character 2: not a digit`.
    public var description: String { "\(field), character \(position): \(reason)" }
}

extension ListedValue {
    /// The fields as texts, in the order of the octets. What it gives, ``init(texts:)`` takes.
    ///
    /// ```swift
    /// BatteryLevel(percent: 80).texts      // [TextField(name: "value", text: "80")]
    /// try BatteryLevel(texts: ["value": "300"])   // value, character 0: not within 0...255
    /// ```
    public var texts: [TextField] {
        var coder = ValueCoder.texts([:])
        var copy = self
        // Without texts to take there is nothing that could be wrong; what a value refuses of itself ends the list.
        try? copy.visit(&coder)
        return coder.textFields
    }

    /// Reads a value from texts. Strict: each field that is not optional must be given, and no others.
    ///
    /// - Throws: ``TextError``, which names the field and the character.
    public init(texts: [String: String]) throws(TextError) {
        self.init()
        try set(texts, isComplete: true)
    }

    /// Changes the fields for which texts are given; the others stay.
    ///
    /// - Throws: ``TextError``; the value is then as it was.
    public mutating func set(texts: [String: String]) throws(TextError) { try set(texts, isComplete: false) }

    private mutating func set(_ texts: [String: String], isComplete: Bool) throws(TextError) {
        var coder = ValueCoder.texts(texts)
        var copy = self
        do {
            try copy.visit(&coder)
        } catch {
            if let fault = coder.textFault { throw fault }
            throw TextError(field: coder.field, position: 0, reason: "\(error)")
        }
        if let fault = coder.textFault { throw fault }
        let names = coder.textFields.map(\.name)
        if let unknown = texts.keys.filter({ !names.contains($0) }).min() {
            throw TextError(
                field: unknown, position: 0, reason: "no such field; there are " + names.joined(separator: ", "))
        }
        if isComplete, let missing = coder.textFields.first(where: { !$0.isOptional && texts[$0.name] == nil }) {
            throw TextError(field: missing.name, position: 0, reason: "missing")
        }
        do { _ = try copy.encoded() } catch {
            throw TextError(field: names.first ?? "", position: 0, reason: "\(error)")
        }
        self = copy
    }
}

/// What is wrong with one text.
struct TextFault: Error {
    var position: Int
    var reason: String
}

/// Strict readers of single texts.
enum TextParser {
    static func integer<T: FixedWidthInteger>(
        _ text: String, in range: ClosedRange<T> = T.min...T.max
    ) -> Result<T, TextFault> {
        var digits = Substring(text)
        var start = 0
        var isNegative = false
        if let sign = digits.first, sign == "-" || sign == "+" {
            isNegative = sign == "-"
            digits.removeFirst()
            start = 1
        }
        var radix = 10
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            radix = 16
            digits.removeFirst(2)
            start += 2
        }
        guard !digits.isEmpty else { return .failure(.init(position: start, reason: "a digit is missing")) }
        for (offset, digit) in digits.enumerated() {
            guard digit.isASCII, let value = digit.hexDigitValue, value < radix else {
                return .failure(.init(position: start + offset, reason: "not a digit"))
            }
        }
        guard let value = T((isNegative ? "-" : "") + digits, radix: radix), range.contains(value) else {
            return .failure(.init(position: 0, reason: "not within \(range)"))
        }
        return .success(value)
    }

    static func number(_ text: String) -> Result<Double, TextFault> {
        var state = 0  // 0 sign, 1 whole, 2 fraction, 3 sign of the exponent, 4 exponent
        var digits = [0, 0, 0]
        for (offset, character) in text.enumerated() {
            switch (character, state) {
            case ("-", 0), ("+", 0): state = 1
            case ("0"..."9", 0), ("0"..."9", 1):
                state = 1
                digits[0] += 1
            case (".", 0), (".", 1): state = 2
            case ("0"..."9", 2): digits[1] += 1
            case ("e", 1), ("E", 1), ("e", 2), ("E", 2):
                guard digits[0] + digits[1] > 0 else {
                    return .failure(.init(position: offset, reason: "a digit is missing"))
                }
                state = 3
            case ("-", 3), ("+", 3): state = 4
            case ("0"..."9", 3), ("0"..."9", 4):
                state = 4
                digits[2] += 1
            default: return .failure(.init(position: offset, reason: "not part of a number"))
            }
        }
        guard digits[0] + digits[1] > 0, state < 3 || digits[2] > 0 else {
            return .failure(.init(position: text.count, reason: "a digit is missing"))
        }
        guard let value = Double(text), value.isFinite else {
            return .failure(.init(position: 0, reason: "too large"))
        }
        return .success(value)
    }

    static func octets(_ text: String, count: Int?) -> Result<[UInt8], TextFault> {
        var bytes: [UInt8] = []
        var high: UInt8?
        for (offset, character) in text.enumerated() {
            guard character.isASCII, let digit = character.hexDigitValue else {
                return .failure(.init(position: offset, reason: "not a hexadecimal digit"))
            }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        guard high == nil else { return .failure(.init(position: text.count, reason: "a digit is missing")) }
        if let count, bytes.count != count {
            return .failure(.init(position: min(text.count, 2 * count), reason: "not \(count) octets"))
        }
        return .success(bytes)
    }

    static func choice(_ text: String, _ choices: [String]) -> Result<Int, TextFault> {
        if let index = choices.firstIndex(of: text) { return .success(index) }
        let common = choices.map { Self.common($0, text) }.max() ?? 0
        return .failure(.init(position: common, reason: "not one of " + choices.joined(separator: ", ")))
    }

    private static func common(_ a: String, _ b: String) -> Int { zip(a, b).prefix { $0 == $1 }.count }

    /// Texts with commas between them; spaces around each do not count.
    static func list<Element>(
        _ text: String, _ parse: (String) -> Result<Element, TextFault>
    ) -> Result<[Element], TextFault> {
        guard text.contains(where: { $0 != " " }) else { return .success([]) }
        var elements: [Element] = []
        var start = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let leading = part.prefix { $0 == " " }.count
            var word = part.drop { $0 == " " }
            while word.last == " " { word.removeLast() }
            switch parse(String(word)) {
            case .success(let element): elements.append(element)
            case .failure(let fault):
                return .failure(.init(position: start + leading + fault.position, reason: fault.reason))
            }
            start += part.count + 1
        }
        return .success(elements)
    }

    /// `2026-11-30T22:45:00`.
    static func dateTime(_ text: String) -> Result<DateTime, TextFault> {
        let pattern = Array("0000-00-00T00:00:00")
        var numbers = [Int](repeating: 0, count: 6)
        var index = 0
        for (offset, character) in text.enumerated() {
            guard offset < pattern.count else { return .failure(.init(position: offset, reason: "too long")) }
            guard pattern[offset] == "0" else {
                guard character == pattern[offset] else {
                    return .failure(.init(position: offset, reason: "not a \(pattern[offset])"))
                }
                index += 1
                continue
            }
            guard character.isASCII, let digit = character.wholeNumberValue else {
                return .failure(.init(position: offset, reason: "not a digit"))
            }
            numbers[index] = numbers[index] * 10 + digit
        }
        guard text.count == pattern.count else {
            return .failure(.init(position: text.count, reason: "too short: as in 2026-11-30T22:45:00"))
        }
        let limits = [(5, 0...12), (8, 0...31), (11, 0...23), (14, 0...59), (17, 0...59)]
        for (place, limit) in limits.enumerated() where !limit.1.contains(numbers[place + 1]) {
            return .failure(.init(position: limit.0, reason: "not within \(limit.1)"))
        }
        return .success(
            DateTime(
                year: UInt16(numbers[0]), month: UInt8(numbers[1]), day: UInt8(numbers[2]), hours: UInt8(numbers[3]),
                minutes: UInt8(numbers[4]), seconds: UInt8(numbers[5])))
    }
}

extension DateTime {
    /// `2026-11-30T22:45:00`.
    var text: String {
        func digits(_ number: some FixedWidthInteger, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(hours, 2) + ":"
            + digits(minutes, 2) + ":" + digits(seconds, 2)
    }
}
