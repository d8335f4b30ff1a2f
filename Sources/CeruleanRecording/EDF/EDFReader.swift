// SPDX-License-Identifier: Apache-2.0

import CCeruleanEDF
import CeruleanSensing
import CeruleanWire

/// Reads EDF and EDF+ files whose signals have one rate. Values are the physical ones, but for channels of which
/// digital and
/// physical numbers are the same.
enum EDFReader {
    static func read(_ path: String) throws(RecordingError) -> RecordedSession {
        var header = cerulean_edf_header()
        var signals = [cerulean_edf_signal](repeating: cerulean_edf_signal(), count: 640)
        let code = signals.withUnsafeMutableBufferPointer { cerulean_edf_open(path, &header, $0.baseAddress, 640) }
        guard code == 0 else {
            if code == CERULEAN_EDF_UNAVAILABLE {
                throw RecordingError(.unsupported, path: path, detail: "EDFlib is not available on this system")
            }
            throw RecordingError(.badData, path: path, detail: "EDFlib does not take this for an EDF file (\(code))")
        }
        defer { cerulean_edf_close(header.handle) }
        signals = Array(signals.prefix(Int(header.signals)))
        guard let first = signals.first, header.record_duration > 0, first.samples_in_record > 0 else {
            throw RecordingError(.badData, path: path, detail: "no signal in it")
        }
        guard signals.allSatisfy({ $0.samples_in_record == first.samples_in_record && $0.samples == first.samples })
        else {
            throw RecordingError(.unsupported, path: path, detail: "its signals have different rates")
        }
        let rows = Int(first.samples)
        guard rows >= 0, rows <= RecordedSession.valueLimit / signals.count else {
            throw RecordingError(.badData, path: path, detail: "too many values")
        }
        let rate = Double(first.samples_in_record) * 1e7 / Double(header.record_duration)
        var channels: [Channel] = []
        var values = [Double](repeating: .nan, count: rows * signals.count)
        for (column, signal) in signals.enumerated() {
            let channel = channel(signal, rate: rate)
            channels.append(channel)
            let slope =
                (signal.physical_maximum - signal.physical_minimum)
                / Double(signal.digital_maximum - signal.digital_minimum)
            var numbers = [Int32](repeating: 0, count: rows)
            let count = numbers.withUnsafeMutableBufferPointer {
                cerulean_edf_read(header.handle, Int32(column), Int32(rows), $0.baseAddress)
            }
            guard count == rows else { throw RecordingError(.badData, path: path, detail: "it ends too early") }
            for row in 0..<rows {
                let number = Double(numbers[row])
                values[row * signals.count + column] =
                    channel.resolution != nil
                    ? number : (number - Double(signal.digital_minimum)) * slope + signal.physical_minimum
            }
        }
        var marks: [RecordedSession.Mark] = []
        for index in 0..<Int(min(header.annotations, 100_000)) {
            var annotation = cerulean_edf_annotation()
            guard cerulean_edf_get_annotation(header.handle, Int32(index), &annotation) == 0 else { continue }
            let position = Int((Double(annotation.onset) / 1e7 * rate).rounded())
            marks.append(RecordedSession.Mark(index: max(position, 0), text: text(annotation.text)))
        }
        marks.sort { $0.index < $1.index }
        let name = text(header.name)
        let source = SourceDescription(
            kind: "source", name: name.isEmpty ? "EDF" : name, model: text(header.equipment), channels: channels,
            rate: rate)
        let start = WallTime(
            year: Int(header.year), month: min(max(Int(header.month), 1), 12), day: Int(header.day),
            hour: Int(header.hour), minute: Int(header.minute), second: Int(header.second))
        return RecordedSession(source: source, start: start, values: values, marks: marks)
    }

    private static func channel(_ signal: cerulean_edf_signal, rate: Double) -> Channel {
        let least = min(signal.physical_minimum, signal.physical_maximum)
        let greatest = max(signal.physical_minimum, signal.physical_maximum)
        let isRaw =
            signal.physical_minimum == Double(signal.digital_minimum)
            && signal.physical_maximum == Double(signal.digital_maximum)
        let bits = isRaw && least == 0 ? (1...16).first { greatest < Double(1 << $0) } : nil
        let name = text(signal.label)
        let isLine = greatest == 1 && least == 0 && name.count == 2 && "IOD".contains(name.first ?? " ")
        return Channel(
            name: name, quantity: isLine ? .logicLevel : .unspecified, unit: text(signal.unit), resolution: bits,
            range: least...greatest, rate: rate,
            role: isLine ? (name.hasPrefix("O") ? .digitalOutput : .digitalInput) : .value)
    }

    private static func text<Buffer>(_ buffer: Buffer) -> String {
        withUnsafeBytes(of: buffer) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
