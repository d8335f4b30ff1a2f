// SPDX-License-Identifier: Apache-2.0

import Cerulean
public import CeruleanSensing
import CeruleanWire
import Synchronization

/// A BITalino as a source of samples: digital lines and inputs at one rate, losses counted, and the link got back if wished.
///
/// Up to 4096 values of the radio (8 s at 1000 Hz) wait for a slow consumer; beyond it the newest are dropped, and show as lost
/// samples.
public final class BITalinoSource: SampleSource {
    /// The board and its channels: `I1`, `I2`, `O1`, `O2`, then the acquired inputs.
    public let info: SourceDescription

    private let inputs: [BITalino.Input]
    private let rate: BITalino.Rate
    private let mode: BITalino.Mode
    private let reconnectTimeout: Duration?
    private let timeout: Duration
    private let state: Mutex<State>

    private struct State {
        var board: BITalino
        var isStopped = false
    }

    /// A source on a connected board.
    ///
    /// - Parameters:
    ///   - board: The connected board.
    ///   - inputs: What to acquire.
    ///   - rate: How often.
    ///   - mode: Live, or the board's own simulation.
    ///   - sensors: What is plugged in, for converted values; others stay raw.
    ///   - reconnectTimeout: How long to try to get a lost link back; nil ends the source with the link.
    ///   - timeout: The time for each step of connecting anew.
    public init(
        board: BITalino, inputs: [BITalino.Input], rate: BITalino.Rate, mode: BITalino.Mode = .live,
        sensors: [BITalino.Input: BITalino.Sensor] = [:], reconnectTimeout: Duration? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.inputs = BITalino.InputSet(inputs).inputs
        self.rate = rate
        self.mode = mode
        self.reconnectTimeout = reconnectTimeout
        self.timeout = timeout
        info = Self.describe(board, inputs: self.inputs, rate: rate, sensors: sensors)
        state = Mutex(State(board: board))
    }

    /// The events; see `SampleSource`. Blocks hold up to 20 ms.
    public func events() -> SampleEvents {
        SampleEvents { [self] in
            let run = Run(source: self)
            return { await run.next() }
        }
    }

    /// Ends the acquisition; the events then end with `.stopped`.
    public func stop() async {
        let board = state.withLock { state in
            state.isStopped = true
            return state.board
        }
        if board.isAcquiring { _ = try? await board.stop() }
    }

    /// The board in use; another one after the link was lost and came back.
    public var board: BITalino { state.withLock { $0.board } }

    // MARK: - Private

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private static func describe(
        _ board: BITalino, inputs: [BITalino.Input], rate: BITalino.Rate, sensors: [BITalino.Input: BITalino.Sensor]
    ) -> SourceDescription {
        let lines = board.version.isRevolution ? ["I1", "I2", "O1", "O2"] : ["I1", "I2", "I3", "I4"]
        let hertz = Double(rate.rawValue)
        var channels = lines.map { name in
            Channel(
                name: name, quantity: .logicLevel, resolution: 1, range: 0...1, rate: hertz,
                role: name.hasPrefix("O") ? .digitalOutput : .digitalInput)
        }
        for (position, input) in inputs.enumerated() {
            let bits = BITalino.FrameCodec.bits(position: position)
            let sensor = sensors[input]
            channels.append(
                Channel(
                    name: input.description, quantity: sensor?.quantity ?? .unspecified, resolution: bits,
                    range: 0...Double((1 << bits) - 1), rate: hertz, conversion: sensor?.conversion(bits: bits),
                    sensor: sensor?.code ?? "RAW"))
        }
        return SourceDescription(
            kind: "bitalino", name: board.peripheral.name ?? "BITalino", address: board.peripheral.address?.address,
            firmware: board.version.description, model: board.version.isRevolution ? "bitalino_rev" : "bitalino",
            channels: channels, rate: hertz, sequenceBits: 4)
    }

    /// One run through the events.
    private final class Run {
        private let source: BITalinoSource
        private let request: BITalino.AcquisitionRequest
        private let blockRows: Int
        private var reader: BITalino.AcquisitionReader?
        private var frames: [BITalino.Frame] = []
        private var waiting: [SampleEvent] = []
        private var isOver = false
        /// The numbers to go on with, and why the link was lost, until it is back.
        private var lost: (timeline: BITalino.FrameTimeline, patience: Duration, cause: any Error)?

        init(source: BITalinoSource) {
            self.source = source
            request = BITalino.AcquisitionRequest(inputs: source.inputs, rate: source.rate, mode: source.mode)
            blockRows = max(1, source.rate.rawValue / 50)
            reader = BITalino.AcquisitionReader(board: source.board, request: request)
        }

        func next() async -> SampleEvent? {
            while waiting.isEmpty {
                if isOver { return nil }
                await advance()
            }
            return waiting.removeFirst()
        }

        private func advance() async {
            if let lost { return await reconnect(lost.timeline, within: lost.patience, cause: lost.cause) }
            guard let reader else { return }
            do throws(BITalinoError) {
                if source.isStopped { return finish(EndReason(.stopped)) }
                let isGoingOn = try await reader.read(into: &frames, isolation: nil)
                if !isGoingOn || frames.count >= blockRows { flush(reader) }
                if !isGoingOn { finish(EndReason(.stopped)) }
            } catch {
                flush(reader)
                recover(reader, error)
            }
        }

        private func flush(_ reader: BITalino.AcquisitionReader) {
            guard let first = frames.first else { return }
            let count = 4 + source.inputs.count
            var values: [Double] = []
            values.reserveCapacity(frames.count * count)
            var gaps: [SampleBlock.Gap] = []
            for (row, frame) in frames.enumerated() {
                for line in 0..<4 { values.append(Double(frame.line(line))) }
                for position in 0..<source.inputs.count { values.append(Double(frame.analog[position])) }
                if frame.lostBefore > 0 {
                    gaps.append(.init(row: row, lost: frame.lostBefore, isAmbiguous: frame.isLossAmbiguous))
                }
            }
            waiting.append(
                .block(
                    SampleBlock(
                        firstIndex: first.index, deviceTime: Double(first.index) / Double(source.rate.rawValue),
                        hostTime: reader.arrival, channelCount: count, values: values, gaps: gaps)))
            frames.removeAll(keepingCapacity: true)
        }

        private func finish(_ reason: EndReason) {
            isOver = true
            reader = nil
            waiting.append(.ended(reason))
        }

        /// Decides whether the link is to be got back; that begins when the next event is asked for.
        private func recover(_ reader: BITalino.AcquisitionReader, _ error: BITalinoError) {
            if error.code == .cancelled || Task.isCancelled { return finish(EndReason(.stopped)) }
            let isLink = error.code == .link && !source.board.isConnected
            let cause: any Error = error.cause ?? error
            guard isLink, let patience = source.reconnectTimeout, !source.isStopped else {
                return finish(EndReason(isLink ? .connectionLost : .failed, error: cause))
            }
            lost = (reader.timelineForRestart(into: &frames), patience, cause)
            flush(reader)
            self.reader = nil
            waiting.append(.connectionLost(error.description))
        }

        private func reconnect(
            _ timeline: BITalino.FrameTimeline, within patience: Duration, cause: any Error
        ) async {
            lost = nil
            guard let board = await reconnect(within: patience) else {
                return finish(
                    EndReason(source.isStopped || Task.isCancelled ? .stopped : .connectionLost, error: cause))
            }
            reader = BITalino.AcquisitionReader(board: board, request: request, timeline: timeline)
            waiting.append(.connectionResumed)
        }

        private func reconnect(within patience: Duration) async -> BITalino? {
            let peripheral = source.board.peripheral
            let loop = peripheral.host.loop
            let deadline = loop.now + patience
            var pause = Duration.milliseconds(100)
            while loop.now < deadline, !Task.isCancelled, !source.isStopped {
                let left = deadline - loop.now
                if let board = try? await BITalino(peripheral, timeout: min(source.timeout, left)) {
                    source.state.withLock { $0.board = board }
                    return board
                }
                guard (try? await loop.sleep(for: min(pause, left))) != nil else { return nil }
                pause = min(pause * 2, .seconds(2))
            }
            return nil
        }
    }
}
