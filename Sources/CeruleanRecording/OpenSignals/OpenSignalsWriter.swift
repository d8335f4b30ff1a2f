// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// The text format of OpenSignals, version 1, one device: three lines of header, then a line for each sample with a
/// tab behind
/// every number. Losses show as jumps of `nSeq`, which counts samples with as many bits as the device has: 4 for a
/// BITalino.
/// Section 14.1 of the protocol notes.
final class OpenSignalsWriter: RecordingWriter {
    let destination: RecordingDestination
    private let file: OutputFile
    private let sequenceMask: Int
    private var buffer: [UInt8] = []

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        let source = header.source
        guard let rate = source.rate, rate > 0 else {
            throw RecordingError(
                .unsupported, path: destination.path,
                detail: "OpenSignals text needs a fixed rate, which \(source.name) has not; choose csv or jsonl")
        }
        self.destination = destination
        let bits = Self.bits(of: source)
        sequenceMask = (1 << bits) - 1
        file = try OutputFile(destination)
        var text = Array("# OpenSignals Text File Format. Version 1\n# ".utf8)
        JSONText.append(Self.header(source, rate: rate, bits: bits, start: header.start), to: &text)
        text += Array("\n# EndOfHeader\n".utf8)
        try file.write(text)
    }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        buffer.removeAll(keepingCapacity: true)
        for (row, index) in block.rowIndices.enumerated() {
            buffer.append(decimal: Int64(index & sequenceMask))
            buffer.append(0x09)
            for value in block[row: row] {
                if value.isFinite { buffer.append(number: value) } else { buffer.append(ascii: "nan") }
                buffer.append(0x09)
            }
            buffer.append(0x0A)
        }
        try file.write(buffer)
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) {}

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {}

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) { try file.close() }

    // MARK: - Private

    private static func header(_ source: SourceDescription, rate: Double, bits: Int, start: WallTime) -> FieldValue {
        let id = source.address?.description ?? source.name
        return .object([.init(id, device(source, id: id, rate: rate, bits: bits, start: start))])
    }

    /// Bits of the number in front of a line.
    static func bits(of source: SourceDescription) -> Int { min(max(source.sequenceBits ?? 16, 1), 32) }

    /// What the header says of one device.
    static func device(
        _ source: SourceDescription, id address: String, rate: Double, bits: Int, start: WallTime
    ) -> FieldValue {
        let values = source.channels.filter { $0.role == .value }
        let lines = source.channels.filter { $0.role != .value }
        let areRaw = values.allSatisfy { $0.resolution != nil }
        let columns = ["nSeq"] + source.channels.map(\.name)
        let resolution = [bits] + source.channels.map { $0.resolution ?? 16 }
        return [
            "sensor": .list(values.map { .text($0.sensor ?? "RAW") }),
            "device name": .text(address),
            "column": .list(columns.map { .text($0) }),
            "sync interval": 2,
            "time": .text(start.openSignalsTime),
            "comments": "",
            "device connection": .text("BTH" + address),
            "channels": .list(values.enumerated().map { FieldValue(integer: number(of: $1.name) ?? $0 + 1) }),
            "keywords": "",
            "convertedValues": areRaw ? 0 : 1,
            "mode": 0,
            "digital IO": .list(lines.map { $0.role == .digitalOutput ? 1 : 0 }),
            "firmware version": firmware(source.firmware),
            "device": .text(source.model ?? source.kind),
            "position": 0,
            "sampling rate": .plain(rate),
            "label": .list(values.map { .text($0.name) }),
            "resolution": .list(resolution.map { FieldValue(integer: $0) }),
            "date": .text(start.openSignalsDate),
            "special": .list(values.map { _ in .object([]) }),
        ]
    }

    /// The input that a label as `A3` names.
    private static func number(of label: String) -> Int? {
        guard label.first == "A", let number = Int(label.dropFirst()), number > 0 else { return nil }
        return number
    }

    /// `5.2` becomes 1282 = 0x0502, as current versions of OpenSignals write it.
    private static func firmware(_ version: String?) -> FieldValue {
        let parts = (version ?? "").split(separator: ".").map { UInt8($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return .text(version ?? "") }
        return .integer(Int64(major) << 8 | Int64(minor))
    }
}
