// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// Writes several devices that were recorded at one time into one OpenSignals file, side by side.
///
/// The file begins with the first moment that all devices share and ends with the last, by the times at which they
/// began. Where a
/// device lost samples, its columns hold `nan` and its `nSeq` goes on.
public enum OpenSignalsJoin {
    /// Writes a new file and returns its path.
    ///
    /// - Throws: ``RecordingError``, with `unsupported` if the recordings do not fit together.
    public static func write(_ sessions: [RecordedSession], in directory: String) throws(RecordingError) -> String {
        func refuse(_ text: String) -> RecordingError { RecordingError(.unsupported, path: nil, detail: text) }
        guard sessions.count >= 2 else { throw refuse("there is only one device; nothing is to be joined") }
        guard let rate = sessions[0].source.rate, sessions.allSatisfy({ $0.source.rate == rate }) else {
            throw refuse("the recordings have different rates, or none")
        }
        let starts = sessions.map { $0.start?.milliseconds }
        guard !starts.contains(nil) else { throw refuse("a recording does not tell when it began") }
        let begin = starts.compactMap(\.self).max() ?? 0
        let shifts = starts.map { Int((Double(begin - ($0 ?? begin)) * rate / 1000).rounded()) }
        let rows = zip(sessions, shifts).map { session, shift in session.rowCount + session.lost - shift }.min() ?? 0
        guard rows > 0 else { throw refuse("the recordings share no time") }
        let ids = ids(of: sessions.map(\.source))
        let start = WallTime(milliseconds: begin)
        let base = RecordingName.sanitized(sessions.map(\.source.name).joined(separator: "_"))
        let path = RecordingName.path(directory: directory, base: base, start: start, format: .openSignals)
        let file = try OutputFile(.file(path))
        try file.write(header(Array(zip(sessions.map(\.source), ids)), rate: rate, start: start))
        var cursors = sessions.map { _ in 0 }
        var buffer: [UInt8] = []
        for row in 0..<rows {
            for (place, session) in sessions.enumerated() {
                let index = row + shifts[place]
                append(session, index, &cursors[place], &buffer)
            }
            buffer.append(0x0A)
            if buffer.count > 1 << 16 {
                try file.write(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        try file.write(buffer)
        try file.close()
        return path
    }

    /// The keys of the devices: their addresses, else their names, each once.
    static func ids(of sources: [SourceDescription]) -> [String] {
        var ids: [String] = []
        for source in sources {
            var id = source.address?.description ?? source.name
            while ids.contains(id) { id += "_" }
            ids.append(id)
        }
        return ids
    }

    /// The three lines in front of the samples.
    static func header(_ devices: [(source: SourceDescription, id: String)], rate: Double, start: WallTime) -> [UInt8] {
        let header: FieldValue = .object(
            devices.map { source, id in
                .init(
                    id,
                    OpenSignalsWriter.device(
                        source, id: id, rate: rate, bits: OpenSignalsWriter.bits(of: source), start: start))
            })
        var text = Array("# OpenSignals Text File Format. Version 1\n# ".utf8)
        JSONText.append(header, to: &text)
        return text + Array("\n# EndOfHeader\n".utf8)
    }

    private static func append(_ session: RecordedSession, _ index: Int, _ cursor: inout Int, _ buffer: inout [UInt8]) {
        let mask = (1 << OpenSignalsWriter.bits(of: session.source)) - 1
        buffer.append(decimal: Int64(index & mask))
        buffer.append(0x09)
        let count = session.source.channels.count
        var found: Int?
        if session.indices.isEmpty {
            found = index < session.rowCount ? index : nil
        } else {
            let first = session.indices[0]
            while cursor < session.indices.count, session.indices[cursor] - first < index { cursor += 1 }
            if cursor < session.indices.count, session.indices[cursor] - first == index { found = cursor }
        }
        for column in 0..<count {
            let value = found.map { session.values[$0 * count + column] } ?? .nan
            if value.isFinite { buffer.append(number: value) } else { buffer.append(ascii: "nan") }
            buffer.append(0x09)
        }
    }
}
