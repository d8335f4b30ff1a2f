// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension ValueCoder {
    // MARK: Words, bits and groups

    /// A number that stands for one of a fixed set of words, such as the cases of a raw enumeration. A number without a
    /// word does not fit.
    ///
    /// ```swift
    /// enum Range: UInt8, CaseIterable, Sendable { case twoG, fourG, eightG }
    /// try coder.code("range", &range)     // 01 is "fourG"
    /// ```
    ///
    /// - Parameters:
    ///   - octets: 1 to 8; by default the width of the raw value.
    ///   - name: The field's name.
    ///   - value: The case.
    public mutating func code<Code>(
        _ name: String, _ value: inout Code, octets: Int = Code.RawValue.bitWidth / 8
    ) throws(WireError) where Code: RawRepresentable & CaseIterable & Sendable, Code.RawValue: FixedWidthInteger {
        field = name
        let words = Code.allCases.map { "\($0)" }
        if direction == .texts {
            let codes = Array(Code.allCases)
            return try text(
                name, &value, choices: words, show: { "\($0)" },
                parse: { TextParser.choice($0, words).map { codes[$0] } })
        }
        let start = position
        var raw = value.rawValue
        try integer(name, &raw, octets: octets)
        guard let known = Code(rawValue: raw) else { throw WireError.invalid("code", at: start) }
        value = known
        relist(name, .text("\(value)"))
    }

    /// A number of which some values have words; others are shown and written as numbers.
    public mutating func integer<T: FixedWidthInteger>(
        _ name: String, _ value: inout T, octets: Int = T.bitWidth / 8, words: KeyValuePairs<T, String>
    ) throws(WireError) {
        field = name
        if direction == .texts {
            let range = Self.range(of: T.self, octets)
            return try text(
                name, &value, choices: words.map(\.value),
                show: { number in words.first { $0.key == number }?.value ?? "\(number)" },
                parse: { text in
                    if let known = words.first(where: { $0.value == text }) { return .success(known.key) }
                    if text.first?.isNumber == true || text.first == "-" { return TextParser.integer(text, in: range) }
                    return TextParser.choice(text, words.map(\.value)).map { words[$0].key }
                })
        }
        try integer(name, &value, octets: octets)
        if let word = words.first(where: { $0.key == value })?.value { relist(name, .text(word)) }
    }

    /// Bits of the flags that stand in front, as a number with a name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - range: The bits within ``flags(_:)``, 0 to 31, at most 8.
    ///   - value: The number; bits that do not fit are refused.
    public mutating func bits(_ name: String, _ range: ClosedRange<Int>, _ value: inout UInt8) throws(WireError) {
        field = name
        let limit = UInt8(truncatingIfNeeded: UInt32(1) << UInt32(min(range.count, 8)) - 1)
        if direction == .texts {
            return try text(name, &value, show: { "\($0)" }, parse: { TextParser.integer($0, in: 0...limit) })
        }
        guard value <= limit || isReading else { throw WireError(offset: position, reason: .tooLong) }
        flags(range, &value)
        list(name, FieldValue(integer: value))
    }

    /// A bit of the flags that stand in front, as a truth with a name.
    public mutating func bit(_ name: String, _ bit: Int, _ value: inout Bool) throws(WireError) {
        field = name
        if direction == .texts { return try flagText(name, &value) }
        flag(bit, &value, name: name)
    }

    mutating func flagText(_ name: String, _ value: inout Bool) throws(WireError) {
        let words = ["false", "true"]
        try text(
            name, &value, choices: words, show: { "\($0)" }, parse: { TextParser.choice($0, words).map { $0 == 1 } })
    }

    /// Text in UTF-8 up to the end. Invalid octets are repaired, NULs at the end are left out.
    public mutating func string(_ name: String, _ value: inout String) throws(WireError) {
        field = name
        if direction == .texts {
            return try text(name, &value, show: { $0 }, parse: { .success($0) })
        }
        var octets = Array(value.utf8)
        try rest(name, &octets)
        while octets.last == 0 { octets.removeLast() }
        value = String(decoding: octets, as: UTF8.self)
        relist(name, .text(value))
    }

    /// A value within a value: its fields are named `name.field`.
    public mutating func group(_ name: String, _ value: inout some ListedValue) throws(WireError) {
        let before = prefix
        prefix += name + "."
        try value.visit(&self)
        prefix = before
    }

    // MARK: - Texts

    /// Takes the text that is given for a field, and gives the field as text.
    mutating func text<Value>(
        _ name: String, _ value: inout Value, choices: [String] = [], isOptional: Bool = false,
        show: (Value) -> String, parse: (String) -> Result<Value, TextFault>
    ) throws(WireError) {
        let full = prefix + name
        field = full
        if let text = givenTexts[full] {
            switch parse(text) {
            case .success(let parsed): value = parsed
            case .failure(let fault):
                textFault = TextError(field: full, position: fault.position, reason: fault.reason)
                throw WireError.invalid("text", at: position)
            }
        }
        textFields.append(TextField(name: full, text: show(value), choices: choices, isOptional: isOptional))
    }

    /// The same for a field that may be left out.
    mutating func optionalText<Value>(
        _ name: String, _ value: inout Value?, show: (Value) -> String, parse: (String) -> Result<Value, TextFault>
    ) throws(WireError) {
        try text(
            name, &value, isOptional: true, show: { $0.map(show) ?? "" },
            parse: { $0.isEmpty ? .success(nil) : parse($0).map { .some($0) } })
    }

    /// The numbers that fit into some octets.
    static func range<T: FixedWidthInteger>(of type: T.Type, _ octets: Int) -> ClosedRange<T> {
        let spare = T.bitWidth - 8 * octets
        guard spare > 0, octets > 0 else { return T.min...T.max }
        return T.isSigned ? (T.min >> spare)...(T.max >> spare) : 0...(T.max >> spare)
    }

    static func medical(_ text: String, _ octets: Int) -> Result<MedicalFloat, TextFault> {
        if let special = MedicalFloat.Special(rawValue: text) { return .success(MedicalFloat(special)) }
        switch TextParser.number(text) {
        case .failure(let fault): return .failure(fault)
        case .success(let number):
            let digits = text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
            let value = MedicalFloat(number, digits: min(digits, 7))
            let fits = octets == 2 ? value.sfloat != nil : value.float != nil
            guard fits, value.value == number else {
                return .failure(TextFault(position: 0, reason: "does not fit into \(octets) octets"))
            }
            return .success(value)
        }
    }
}
