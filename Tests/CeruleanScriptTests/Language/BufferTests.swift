// SPDX-License-Identifier: Apache-2.0

import Testing

/// `Ti.Buffer` and `Ti.Codec`, as section 7 of the reference has them.
@Suite struct BufferTests {
    /// An expression and what it is, as text; `!` begins the class of an error.
    static let table: [(String, String)] = [
        ("Ti.createBuffer().length", "0"), ("Ti.createBuffer({ length: 4 }).length", "4"),
        ("Ti.createBuffer({ length: 2 })[1]", "0"), ("set(300)", "44"), ("set(-1)", "255"), ("set(2.9)", "2"),
        ("set('1')", "!TypeError"), ("b(1, 2)[2]", "!RangeError"), ("b(1, 2)[-1]", "!RangeError"),
        ("(function () { var x = b(1); x[1] = 1; })()", "!RangeError"),
        ("(function () { var x = b(1); x['01'] = 9; return x.length + ' ' + x['01']; })()", "1 9"),
        ("b(7)['0']", "7"), ("(function () { var x = b(1, 2, 3); x.length = 2; return t(x); })()", "1,2"),
        ("(function () { var x = b(1); x.length = 3; return t(x); })()", "1,0,0"),
        ("(function () { var x = b(1); x.length = 0; return x.length; })()", "0"),
        ("(function () { var x = b(1), n = x.append(b(2, 3)); return n + ':' + t(x); })()", "2:1,2,3"),
        ("(function () { var x = b(1); x.append(b(2, 3, 4), 1, 2); return t(x); })()", "1,3,4"),
        ("b(1).append(b(2, 3), 1)", "!Error"), ("b(1).append(b(2, 3), 1, 2)", "!RangeError"),
        ("(function () { var x = b(1, 2), n = x.insert(b(9), 1); return n + ':' + t(x); })()", "1:1,9,2"),
        ("b(1, 2).insert(b(9), 2)", "!RangeError"),
        ("(function () { var x = b(1, 2, 3), n = x.copy(b(8, 9), 1); return n + ':' + t(x); })()", "2:1,8,9"),
        ("b(1, 2).copy(b(8, 9), 1)", "!RangeError"), ("t(b(1, 2, 3).clone())", "1,2,3"),
        ("t(b(1, 2, 3).clone(1, 2))", "2,3"), ("t(b(1, 2, 3).slice(1))", "2,3"),
        ("(function () { var x = b(1, 2), y = x.clone(); y[0] = 9; return t(x); })()", "1,2"),
        ("(function () { var x = b(1, 2, 3); x.fill(7, 1, 2); return t(x); })()", "1,7,7"),
        ("(function () { var x = b(1, 2); x.clear(); return t(x); })()", "0,0"),
        ("(function () { var x = b(1, 2); x.release(); return x.length; })()", "0"),
        ("'' + Ti.createBuffer({ value: 'äb' })", "äb"), ("b(0xFF, 65).toString()", "\u{FFFD}A"),
        ("b(72, 105).toBlob().text", "Hi"), ("b(1).toBlob().mimeType", "application/octet-stream"),
        ("Array.from(b(1, 2)).join()", "1,2"), ("b(1).byteOrder", "1"),
        ("t(Ti.createBuffer({ value: 'abc', length: 2 }))", "97,98"),
        ("t(Ti.createBuffer({ value: 'a', length: 2 }))", "97,0"),
        ("t(Ti.createBuffer({ value: 'ä', type: Ti.Codec.CHARSET_ISO_LATIN_1 }))", "228"),
        ("t(Ti.createBuffer({ value: 'A', type: Ti.Codec.CHARSET_UTF16BE }))", "0,65"),
        ("t(Ti.createBuffer({ value: 258, type: Ti.Codec.TYPE_SHORT }))", "2,1"),
        ("t(Ti.createBuffer({ value: 258, type: Ti.Codec.TYPE_SHORT, byteOrder: Ti.Codec.BIG_ENDIAN }))", "1,2"),
        ("t(Ti.createBuffer({ value: -2, type: Ti.Codec.TYPE_INT }))", "254,255,255,255"),
        ("Ti.createBuffer({ value: 1, type: Ti.Codec.TYPE_LONG }).length", "8"),
        ("Ti.createBuffer({ value: 1 })", "!Error"),
        ("Ti.createBuffer({ value: {} })", "!TypeError"), ("Ti.createBuffer({ length: -1 })", "!RangeError"),
        ("Ti.createBuffer({ length: 1e12 })", "!RangeError"),
        ("Ti.Codec.decodeNumber({ source: b(0xFF, 0xFF), type: 'short' })", "-1"),
        ("Ti.Codec.decodeNumber({ source: b(0, 0, 0x80, 0x3F), type: 'float' })", "1"),
        ("Ti.Codec.decodeNumber({ source: b(1, 2, 3), type: 'short', position: 1, byteOrder: 2 })", "515"),
        ("Ti.Codec.decodeNumber({ source: b(1), type: 'int' })", "!RangeError"),
        ("Ti.Codec.encodeNumber({ source: 5, dest: b(0, 0, 0), type: 'short', position: 1 })", "3"),
        ("Ti.Codec.encodeString({ source: 'hello', dest: b(0, 0, 0), sourcePosition: 1, sourceLength: 2 })", "2"),
        ("Ti.Codec.decodeString({ source: b(72, 105, 33), position: 0, length: 2 })", "Hi"),
        ("Ti.Codec.getNativeByteOrder() === Ti.Codec.LITTLE_ENDIAN", "true"),
    ]

    @Test func theTableHolds() async throws {
        let cases = Self.table.map { "[function () { return \($0.0); }, \(Self.quoted($0.0))]" }.joined(
            separator: ",\n")
        let lines = try await ScriptStage.lines(
            """
            function b() { var x = Ti.createBuffer({ length: arguments.length }); for (var i = 0; i < arguments.length; i++) { x[i] = arguments[i]; } return x; }
            function t(x) { var all = []; for (var i = 0; i < x.length; i++) { all.push(x[i]); } return all.join(); }
            function set(v) { var x = b(0); x[0] = v; return x[0]; }
            [\(cases)].forEach(function (one) {
                var result;
                try { result = String(one[0]()); } catch (e) { result = '!' + e.name; }
                console.log(result);
            });
            """)
        #expect(lines.count == Self.table.count)
        for (line, entry) in zip(lines, Self.table) { #expect(line == entry.1, "\(entry.0)") }
    }

    private static func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }
}
