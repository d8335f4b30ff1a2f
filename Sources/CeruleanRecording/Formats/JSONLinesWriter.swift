// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// One JSON object on each line, told apart by `type`: `header`, `sample`, `gap`, `marker`, and last `end`. A file without
/// the last line was cut off.
final class JSONLinesWriter: RecordingWriter {
    let destination: RecordingDestination
    private let file: OutputFile
    private let names: [[UInt8]]
    private let conversions: [(channel: Int, conversion: Conversion)]
    private let rate: Double?
    private var buffer: [UInt8] = []

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        self.destination = destination
        let source = header.source
        rate = source.rate
        names = source.channels.map { channel in
            var text: [UInt8] = []
            JSONText.append(string: channel.name, to: &text)
            return text
        }
        conversions = source.channels.enumerated().compactMap { index, channel in channel.conversion.map { (index, $0) }
        }
        file = try OutputFile(destination)
        var members: [FieldValue.Member] = [
            .init("type", "header"), .init("device", Self.device(source)),
            .init("channels", .list(source.channels.map(Self.channel))),
        ]
        if let rate { members.append(.init("rate", .plain(rate))) }
        members.append(.init("start", .text(header.start.rfc3339)))
        try writeLine(.object(members))
    }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        buffer.removeAll(keepingCapacity: true)
        let indices = block.rowIndices
        var gap = 0
        for row in 0..<block.rowCount {
            while gap < block.gaps.count, block.gaps[gap].row <= row {
                appendGap(
                    index: indices[row] - block.gaps[gap].lost, lost: block.gaps[gap].lost,
                    isAmbiguous: block.gaps[gap].isAmbiguous)
                gap += 1
            }
            buffer.append(ascii: "{\"type\":\"sample\",\"index\":")
            buffer.append(decimal: Int64(indices[row]))
            buffer.append(ascii: ",\"time\":")
            buffer.append(number: block.time(ofRow: row, index: indices[row], rate: rate))
            let values = block[row: row]
            appendValues("values", zip(names, values).lazy.map { ($0, $1) })
            if !conversions.isEmpty {
                appendValues(
                    "converted",
                    conversions.lazy.filter { $0.channel < values.count }.map {
                        (self.names[$0.channel], $0.conversion(values[values.startIndex + $0.channel]))
                    })
            }
            buffer.append(ascii: "}\n")
        }
        try file.write(buffer)
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) {
        buffer.removeAll(keepingCapacity: true)
        appendGap(index: index, lost: lost, isAmbiguous: false)
        try file.write(buffer)
    }

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {
        try writeLine([
            "type": "marker", "index": FieldValue(integer: index), "hostTime": .text(arrival.rfc3339),
            "text": .text(text),
        ])
    }

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) {
        try writeLine([
            "type": "end", "samples": FieldValue(integer: samples), "lost": FieldValue(integer: lost),
            "reason": .text(reason.description),
        ])
        try file.close()
    }

    // MARK: - Private

    private func writeLine(_ value: FieldValue) throws(RecordingError) {
        var line: [UInt8] = []
        JSONText.append(value, to: &line)
        line.append(UInt8(ascii: "\n"))
        try file.write(line)
    }

    private func appendGap(index: Int, lost: Int, isAmbiguous: Bool) {
        buffer.append(ascii: "{\"type\":\"gap\",\"index\":")
        buffer.append(decimal: Int64(index))
        buffer.append(ascii: ",\"lost\":")
        buffer.append(decimal: Int64(lost))
        buffer.append(ascii: isAmbiguous ? ",\"ambiguous\":true}\n" : "}\n")
    }

    /// A channel without a value is left out.
    private func appendValues(_ name: StaticString, _ values: some Sequence<([UInt8], Double)>) {
        buffer.append(ascii: ",\"")
        buffer.append(ascii: name)
        buffer.append(ascii: "\":{")
        var isFirst = true
        for (name, value) in values where value.isFinite {
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            buffer += name
            buffer.append(UInt8(ascii: ":"))
            buffer.append(number: value)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private static func device(_ source: SourceDescription) -> FieldValue {
        var members: [FieldValue.Member] = [.init("kind", .text(source.kind)), .init("name", .text(source.name))]
        if let address = source.address { members.append(.init("address", .text(address.description))) }
        if let firmware = source.firmware { members.append(.init("firmware", .text(firmware))) }
        return .object(members)
    }

    private static func channel(_ channel: Channel) -> FieldValue {
        var members: [FieldValue.Member] = [
            .init("name", .text(channel.name)), .init("quantity", .text(channel.quantity.rawValue)),
        ]
        if !channel.unit.isEmpty { members.append(.init("unit", .text(channel.unit))) }
        if let bits = channel.resolution { members.append(.init("resolution", FieldValue(integer: bits))) }
        if let range = channel.range {
            members.append(.init("range", [.plain(range.lowerBound), .plain(range.upperBound)]))
        }
        if let conversion = channel.conversion {
            members.append(.init("sensor", .text(conversion.name)))
            members.append(.init("convertedUnit", .text(conversion.unit)))
        }
        return .object(members)
    }
}

extension FieldValue {
    /// A number, without a fraction if it has none.
    static func plain(_ number: Double) -> FieldValue {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
