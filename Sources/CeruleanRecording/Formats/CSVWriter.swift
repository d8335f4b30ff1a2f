// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing

/// Comma-separated values, lines ended by LF. The first line names the columns:
/// `index,time,hostTime,lostBefore`, the channels raw, then the converted ones as `<channel> (<unit>)`.
///
/// `index` counts lost samples too, `time` is seconds of the device's clock from the first sample, `hostTime` seconds since 1970
/// when the sample arrived, `lostBefore` how many samples are missing in front of the row. A channel without a value in a row
/// has an empty field.
final class CSVWriter: RecordingWriter {
    let destination: RecordingDestination
    private let file: OutputFile
    private let conversions: [(channel: Int, conversion: Conversion)]
    private let rate: Double?
    private var buffer: [UInt8] = []

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        self.destination = destination
        rate = header.source.rate
        let channels = header.source.channels
        conversions = channels.enumerated().compactMap { index, channel in channel.conversion.map { (index, $0) } }
        file = try OutputFile(destination)
        var names = ["index", "time", "hostTime", "lostBefore"] + channels.map(\.name)
        names += conversions.map { "\(channels[$0.channel].name) (\($0.conversion.unit))" }
        try file.write(Array((names.map(Self.quoted).joined(separator: ",") + "\n").utf8))
    }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        buffer.removeAll(keepingCapacity: true)
        let indices = block.rowIndices
        var gap = 0
        for row in 0..<block.rowCount {
            var lost = 0
            while gap < block.gaps.count, block.gaps[gap].row <= row {
                lost += block.gaps[gap].lost
                gap += 1
            }
            buffer.append(decimal: Int64(indices[row]))
            buffer.append(UInt8(ascii: ","))
            buffer.append(number: block.time(ofRow: row, index: indices[row], rate: rate))
            buffer.append(UInt8(ascii: ","))
            buffer.append(milliseconds: arrival.milliseconds)
            buffer.append(UInt8(ascii: ","))
            buffer.append(decimal: Int64(lost))
            let start = row * block.channelCount
            for column in 0..<block.channelCount { append(block.values[start + column]) }
            for (channel, conversion) in conversions where channel < block.channelCount {
                append(conversion(block.values[start + channel]))
            }
            buffer.append(UInt8(ascii: "\n"))
        }
        try file.write(buffer)
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) {}

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {}

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) { try file.close() }

    // MARK: - Private

    private func append(_ value: Double) {
        buffer.append(UInt8(ascii: ","))
        if value.isFinite { buffer.append(number: value) }
    }

    private static func quoted(_ name: String) -> String {
        guard name.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return name }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension SampleBlock {
    /// Seconds of the device's clock from the first sample of the source to a row.
    func time(ofRow row: Int, index: Int, rate: Double?) -> Double {
        if row < rowTimes.count { return rowTimes[row] }
        guard let rate, rate > 0 else { return deviceTime }
        return firstIndex == 0 && deviceTime == 0 || deviceTime == Double(firstIndex) / rate
            ? Double(index) / rate : deviceTime + Double(index - firstIndex) / rate
    }
}
