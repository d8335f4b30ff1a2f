// SPDX-License-Identifier: Apache-2.0

#if canImport(CCeruleanJS)

import CeruleanWire
import CoreBluetooth
import Foundation

extension ScriptRuntime {
    /// Makes a function of what a module brings; on the first line, so that no line is shifted.
    static let moduleHead = "(function (exports, require, module, __filename, __dirname) { "

    /// The functions of the machine that the prelude is written with.
    func addNatives(to native: ScriptValue) {
        func add(_ name: String, _ body: @escaping ScriptEngine.Body) { native[name] = engine.function(body) }
        add("log") { [unowned self] engine, arguments in
            output.log(arguments.at(0, engine).text, arguments.at(1, engine).text)
            return nil
        }
        add("talk") { [unowned self] engine, arguments in
            output.talk(arguments.at(0, engine).text)
            return nil
        }
        add("startTimer") { [unowned self] engine, arguments in
            startTimer(arguments.at(0, engine).ifInteger ?? 0, arguments.at(1, engine).ifNumber ?? 0)
            return nil
        }
        add("stopTimer") { [unowned self] engine, arguments in
            stopTimer(arguments.at(0, engine).ifInteger ?? 0)
            return nil
        }
        add("nextTurn") { [unowned self] _, _ in
            nextTurn()
            return nil
        }
        add("clicked") { [unowned self] engine, arguments in
            clicked(arguments.at(0, engine).text)
            return nil
        }
        add("exit") { [unowned self] engine, arguments in
            exit(Int32(truncatingIfNeeded: arguments.at(0, engine).ifInteger ?? 0) & 0xFF)
            return nil
        }
        add("collect") { engine, _ in
            engine.collect()
            return nil
        }
        addFiles(add)
        addText(add)
        native["options"] = optionValues
    }

    private func addFiles(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        add("resolve") { [unowned self] engine, arguments in
            engine.string(try files.resolve(arguments.at(0, engine).text, from: arguments.at(1, engine).text))
        }
        add("folder") { engine, arguments in engine.string(ScriptFiles.folder(of: arguments.at(0, engine).text)) }
        add("readFile") { [unowned self] engine, arguments in
            engine.string(try files.read(arguments.at(0, engine).text))
        }
        add("load") { [unowned self] engine, arguments in
            let path = arguments.at(0, engine).text
            let source = try files.read(path)
            // A module that is no program: what is wrong in it is told as its own mistake.
            do throws(ScriptFault) {
                return try engine.evaluate(Self.moduleHead + source + "\n})", file: path)
            } catch {
                var fault = error
                fault.file = fault.file ?? path
                fault.locate(in: files)
                throw ScriptFault(fault.description)
            }
        }
        add("run") { [unowned self] engine, arguments in
            let path = arguments.at(0, engine).text
            return try engine.evaluate(try files.read(path), file: path)
        }
        add("readState") { [unowned self] engine, _ in engine.optional(files.state) }
        add("writeState") { [unowned self] engine, arguments in
            files.write(state: arguments.at(0, engine).text)
            return nil
        }
    }

    private func addText(_ add: (String, @escaping ScriptEngine.Body) -> Void) {
        add("uuid") { engine, arguments in
            engine.optional(ScriptText.uuid(arguments.at(0, engine).text))
        }
        add("makeUUID") { engine, _ in engine.string(UUID().uuidString) }
        add("encode") { engine, arguments in
            engine.bytes(try ScriptText.encode(arguments.at(0, engine).text, arguments.at(1, engine).text))
        }
        add("decode") { engine, arguments in
            engine.string(try ScriptText.decode(arguments.at(0, engine).bytes ?? [], arguments.at(1, engine).text))
        }
    }

    private var optionValues: ScriptValue {
        let values = engine.object
        let process = ProcessInfo.processInfo
        let texts: [String: String] = [
            "path": files.path, "folder": files.folder, "id": files.identifier,
            "name": files.path.split(separator: "/").last.map(String.init) ?? "script", "osname": options.osname,
            "version": options.version, "username": options.username, "machine": files.identifier,
            "architecture": ScriptText.architecture, "release": "0.1", "system": process.operatingSystemVersionString,
        ]
        for (name, text) in texts { values[name] = engine.string(text) }
        values["processors"] = engine.number(process.activeProcessorCount)
        values["deniesLocation"] = engine.bool(options.deniesLocation)
        values["clicks"] = engine.array(options.clicks.map { engine.string($0) })
        values["arguments"] = engine.array(options.arguments.map { engine.string($0) })
        return values
    }
}

/// Text as scripts exchange it.
enum ScriptText {
    #if arch(arm64)
    static let architecture = "arm64"
    #else
    static let architecture = "x86_64"
    #endif

    /// A UUID as scripts compare it: four digits or 36 characters, upper case; nil when the text is none.
    static func uuid(_ text: String) -> String? {
        BluetoothUUID(text) == nil ? nil : CBUUID(string: text).uuidString
    }

    /// - Throws: ``ScriptFault`` for a name that is no character set.
    static func encode(_ text: String, _ charset: String) throws(ScriptFault) -> [UInt8] {
        switch charset {
        case "utf8": return Array(text.utf8)
        case "ascii": return text.unicodeScalars.map { $0.value < 0x80 ? UInt8($0.value) : UInt8(ascii: "?") }
        case "iso-latin-1": return text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : UInt8(ascii: "?") }
        case "utf16", "utf16le": return text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case "utf16be": return text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        default: throw ScriptFault("\(charset) is no character set")
        }
    }

    /// What cannot be decoded becomes U+FFFD.
    ///
    /// - Throws: ``ScriptFault`` for a name that is no character set.
    static func decode(_ bytes: [UInt8], _ charset: String) throws(ScriptFault) -> String {
        func units(_ isBig: Bool) -> [UInt16] {
            stride(from: 0, to: bytes.count - 1, by: 2).map { at in
                let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
                return isBig ? first << 8 | second : second << 8 | first
            }
        }
        switch charset {
        case "utf8": return String(decoding: bytes, as: UTF8.self)
        case "ascii": return String(decoding: bytes.map { $0 < 0x80 ? UInt16($0) : 0xFFFD }, as: UTF16.self)
        case "iso-latin-1": return String(decoding: bytes.map { UInt16($0) }, as: UTF16.self)
        case "utf16", "utf16le": return String(decoding: units(false), as: UTF16.self)
        case "utf16be": return String(decoding: units(true), as: UTF16.self)
        default: throw ScriptFault("\(charset) is no character set")
        }
    }
}

#endif
