// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import CeruleanWire

/// A stream of the Lab Streaming Layer: one outlet with the samples, and one of type `Markers` with markers, gaps and changes of
/// the link.
///
/// Samples carry the time of LSL's clock: the arrival of the first block, then the device's clock, corrected slowly towards the
/// arrivals, and never back. Lost samples are missing from the stream, as LSL wants it.
final class LSLWriter: RecordingWriter {
    let destination: RecordingDestination
    private let library: LSLLibrary
    private let samples: Outlet
    private let markers: Outlet
    private let rate: Double?
    private let channelCount: Int
    private var alignment: ClockAlignment
    private var times: [Double] = []
    /// The time of the newest sample.
    private var lastTime: Double?
    /// How far apart samples are at least, in seconds: a tenth of a period.
    private let shortestStep: Double

    init(_ header: RecordingHeader, to destination: RecordingDestination) throws(RecordingError) {
        let source = header.source
        guard let library = LSLLibrary.shared else {
            throw RecordingError(
                .unsupported, path: nil,
                detail: "liblsl is not there; install it, or name it with CERULEAN_LSL=/path/to/liblsl.so")
        }
        guard !source.channels.isEmpty else {
            throw RecordingError(.unsupported, path: nil, detail: "\(source.name) has no channel to stream")
        }
        self.library = library
        rate = source.rate
        shortestStep = 0.1 / (source.rate ?? 1000)
        channelCount = source.channels.count
        alignment = ClockAlignment()
        let name = destination.streamName ?? source.name
        self.destination = .network(name)
        let id = "cerulean-" + (source.address?.description ?? source.name)
        samples = try Outlet(
            library, name: name, type: Self.type(of: source), channels: source.channels.count, rate: source.rate ?? 0,
            format: LSLLibrary.doubles, id: id
        ) { description in Self.describe(source, library, description) }
        markers = try Outlet(
            library, name: "\(name) Markers", type: "Markers", channels: 1, rate: 0, format: LSLLibrary.strings,
            id: id + "-markers", describe: { _ in })
    }

    func write(_ block: SampleBlock, arrival: WallTime) throws(RecordingError) {
        guard block.rowCount > 0 else { return }
        let indices = block.rowIndices
        let now = library.clock()
        let last = block.time(ofRow: indices.count - 1, index: indices[indices.count - 1], rate: rate)
        let offset = alignment.offset(device: last, host: now)
        times.removeAll(keepingCapacity: true)
        for (row, index) in indices.enumerated() {
            var time = block.time(ofRow: row, index: index, rate: rate) + offset
            // An earlier arrival than all before puts the clock back; times of a stream only rise, so they catch up.
            if let lastTime, time <= lastTime { time = lastTime + shortestStep }
            times.append(time)
            lastTime = time
        }
        for gap in block.gaps where gap.row < times.count {
            push("\(gap.lost) samples lost", at: times[max(gap.row, 0)])
        }
        _ = library.pushChunk(samples.pointer, block.values, UInt(times.count * channelCount), times)
    }

    func writeGap(index: Int, lost: Int) throws(RecordingError) { push("\(lost) samples lost", at: library.clock()) }

    func writeMarker(_ text: String, index: Int, arrival: WallTime) throws(RecordingError) {
        push(text, at: library.clock())
    }

    func finish(samples: Int, lost: Int, reason: EndReason) throws(RecordingError) {
        push("end: \(reason.code)", at: library.clock())
        self.samples.close()
        markers.close()
    }

    // MARK: - Private

    private func push(_ text: String, at time: Double) {
        text.withCString { text in
            var value: UnsafePointer<CChar>? = text
            _ = library.pushText(markers.pointer, &value, time)
        }
    }

    /// The content type that LSL's programs know, from what is measured.
    private static func type(of source: SourceDescription) -> String {
        let sensors = Set(source.channels.filter { $0.role == .value }.compactMap(\.conversion?.name))
        for (prefix, type) in [("ECG", "ECG"), ("EEG", "EEG"), ("EMG", "EMG"), ("EDA", "GSR")]
        where sensors.count == 1 && sensors.first?.hasPrefix(prefix) == true { return type }
        return source.kind == "heartrate" ? "HeartRate" : "Biosignals"
    }

    private static func describe(
        _ source: SourceDescription, _ library: LSLLibrary, _ description: LSLLibrary.Pointer
    ) {
        func put(_ node: LSLLibrary.Pointer, _ name: String, _ value: String) {
            _ = library.appendValue(node, name, value)
        }
        if let device = library.appendChild(description, "acquisition") {
            put(device, "manufacturer", source.kind)
            put(device, "model", source.model ?? source.kind)
            if let firmware = source.firmware { put(device, "firmware", firmware) }
            if let address = source.address { put(device, "address", address.description) }
        }
        guard let channels = library.appendChild(description, "channels") else { return }
        for channel in source.channels {
            guard let node = library.appendChild(channels, "channel") else { continue }
            put(node, "label", channel.name)
            put(node, "unit", channel.unit.isEmpty ? "counts" : channel.unit)
            put(node, "type", channel.quantity.rawValue)
            if let bits = channel.resolution { put(node, "resolution", "\(bits)") }
            if let sensor = channel.sensor { put(node, "sensor", sensor) }
            if let conversion = channel.conversion, case .linear(let slope, let intercept) = conversion.formula {
                put(node, "convertedUnit", conversion.unit)
                put(node, "slope", "\(slope)")
                put(node, "intercept", "\(intercept)")
            }
        }
    }

    /// An outlet that is destroyed once.
    private final class Outlet {
        let pointer: LSLLibrary.Pointer
        private let info: LSLLibrary.Pointer
        private let library: LSLLibrary
        private var isOpen = true

        init(
            _ library: LSLLibrary, name: String, type: String, channels: Int, rate: Double, format: Int32, id: String,
            describe: (LSLLibrary.Pointer) -> Void
        ) throws(RecordingError) {
            let failure = RecordingError(.cannotWrite, path: nil, detail: "liblsl makes no outlet for \(name)")
            guard let info = library.createInfo(name, type, Int32(channels), rate, format, id) else { throw failure }
            if let description = library.description(info) { describe(description) }
            // Ten minutes for listeners that were away.
            guard let pointer = library.createOutlet(info, 0, 360) else {
                library.destroyInfo(info)
                throw failure
            }
            self.library = library
            self.info = info
            self.pointer = pointer
        }

        func close() {
            guard isOpen else { return }
            isOpen = false
            library.destroyOutlet(pointer)
            library.destroyInfo(info)
        }

        deinit { close() }
    }
}

extension RecordingDestination {
    fileprivate var streamName: String? {
        if case .network(let name) = self { name } else { nil }
    }
}
