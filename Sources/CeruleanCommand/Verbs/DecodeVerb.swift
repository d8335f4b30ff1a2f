// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

extension VerbSpecification {
    /// `decode KIND [HEX…]`: bytes to JSON without a radio.
    static let decode = VerbSpecification(
        name: "decode",
        summary: "turn bytes into JSON, without a radio",
        details: """
            KIND redbear is followed by slider, controls or rbl. HEX may hold blanks and colons. Without HEX, lines are read
            from standard input; blank ones are skipped. Each input gives one line:
            {"ok":true,"value":{…}} or {"ok":false,"error":{"code","message","offset"}}.
            """,
        positionals: [
            PositionalSpecification(
                placeholder: "KIND", help: DecodeKind.all.map(\.name).joined(separator: ", "),
                choices: DecodeKind.all.map(\.name)),
            PositionalSpecification(
                placeholder: "HEX", help: "the bytes, one input for each argument", isOptional: true, repeats: true),
        ],
        options: [
            .value("uuid", "UUID", "characteristic, bluest, sensortag: which one, by UUID or name"),
            .value("signals", "N", "characteristic 2A56: how many signals"),
            .value("channels", "N", "bitalino-frames: how many channels, 1 to 6"),
            .value("device", "ID", "bluest: the board's number in hexadecimal (default 80)"),
            .value("mask", "MASK", "bluest: the advertised features in hexadecimal (default all)"),
            .value("model", "MODEL", "sensortag: CC2541, CC2650 or CC1350"),
            .value("firmware", "VERSION", "sensortag: such as 1.4, which decides a scale of the CC2541"),
            .value("calibration", "HEX", "sensortag: 16 octets, for the pressure of a CC2541"),
            .value("range", "G", "sensortag: range of a CC2650's accelerometer, 2 (default), 4, 8 or 16"),
            .value("protocol", "VERSION", "bluest: version of the advertisement, 1 (default) or 2"),
        ],
        examples: [
            "decode advertisement '02 01 06 03 03 0D 18'", "decode characteristic --uuid 2A37 1048e803",
            "decode bitalino-frames --channels 6 < frames.txt", "decode redbear slider 010200020100030080",
            "decode sensortag --model CC2650 --uuid AA71 ff3f",
        ],
        run: { invocation, console in
            let name = invocation.positional(0) ?? ""
            guard let kind = DecodeKind.all.first(where: { $0.name == name }) else {
                let known = DecodeKind.all.map(\.name).joined(separator: ", ")
                throw CommandError.usage("unknown kind '\(name)'; known are \(known)")
            }
            // An option of another kind would not count.
            let others = Set(DecodeKind.all.flatMap(\.options)).subtracting(kind.options)
            if let other = others.sorted().first(where: invocation.has) {
                let known = kind.options.map { "--" + $0 }.joined(separator: ", ")
                throw CommandError.usage(
                    "decode \(name) takes no --\(other)" + (known.isEmpty ? "" : "; it takes \(known)"))
            }
            let decode = try kind.prepare(invocation)
            var run = DecodeRun(decode: decode, console: console)
            let arguments = invocation.positionals.dropFirst(kind.words.isEmpty ? 1 : 2)
            if arguments.isEmpty {
                while let line = try console.nextLine() {
                    try Task.checkCancellation()
                    if !line.allSatisfy(\.isWhitespace) { try run.handle(line) }
                }
            } else {
                for text in arguments { try run.handle(text) }
            }
            guard run.count > 0 else {
                throw CommandError.usage("decode: no input; give HEX, or lines on standard input")
            }
            return run.failures > 0 ? .badData : .ok
        })
}

/// Decodes one input after the other and counts.
private struct DecodeRun {
    let decode: @Sendable ([UInt8]) -> DecodeOutcome
    let console: Console
    var count = 0
    var failures = 0

    mutating func handle(_ text: String) throws(CommandError) {
        let outcome = DecodeOutcome(text: text, decode)
        count += 1
        if outcome.error != nil { failures += 1 }
        // A value is the object of the reference vectors, where null says that a field has no value.
        try console.jsonAsIs(outcome.json)
    }
}

/// What became of one input.
struct DecodeOutcome: Sendable {
    /// Why it could not be decoded.
    struct Fault: Hashable, Sendable {
        /// A word for programs: `notHex`, `truncated`, `trailing`, `invalid`, `crc`, …
        var code: String
        /// A sentence for people.
        var message: String
        /// Octets from the start of the input; for `notHex` characters.
        var offset: Int

        init(_ code: String, _ message: String, offset: Int) {
            self.code = code
            self.message = message
            self.offset = offset
        }

        /// A fault of the wire, said of `what`.
        init(_ error: WireError, in what: String) {
            let code =
                switch error.reason {
                case .truncated: "truncated"
                case .trailing: "trailing"
                case .invalid: "invalid"
                case .tooLong: "tooLong"
                }
            self.init(code, "\(what): \(error.description)", offset: error.offset)
        }
    }

    /// What was decoded, before the fault if there is one.
    var value: FieldValue?
    /// Nil when all went well.
    var error: Fault?

    init(value: FieldValue?, error: Fault? = nil) {
        self.value = value
        self.error = error
    }

    /// Reads hexadecimal text and decodes the octets.
    init(text: String, _ decode: ([UInt8]) -> DecodeOutcome) {
        do {
            self = decode(try Hex.decode(text))
        } catch {
            let what = error.reason == .truncated ? "a digit is missing at the end" : "no hexadecimal digit"
            self.init(value: nil, error: Fault("notHex", "\(what), character \(error.offset)", offset: error.offset))
        }
    }

    /// The line that is printed.
    var json: FieldValue {
        var members: [FieldValue.Member] = [.init("ok", .bool(error == nil))]
        if let error {
            members.append(
                .init(
                    "error",
                    [
                        "code": .text(error.code), "message": .text(error.message),
                        "offset": FieldValue(integer: error.offset),
                    ]))
        }
        if let value { members.append(.init("value", value)) }
        return .object(members)
    }
}
