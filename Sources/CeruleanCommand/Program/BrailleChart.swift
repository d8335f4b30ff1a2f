// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing
import Synchronization

/// A scrolling chart of several channels in braille characters, each channel with a scale of its own: two by four
/// dots for each
/// character.
struct BrailleChart: Sendable {
    private var columns: [[(least: Double, greatest: Double)?]]
    private let names: [String]
    private let units: [String]
    /// Characters of the drawn part of a line.
    private let width: Int
    /// Lines of a channel.
    private let height: Int
    /// How much time is seen at once.
    let secondsOnScreen: Double
    private let rate: Double
    private var bucket: [(least: Double, greatest: Double)?]
    private var rowsInBucket = 0
    private var newest: [Double]

    /// A chart of the channels that measure, as many as there is room for; lines where nothing else is there.
    ///
    /// - Parameters:
    ///   - seconds: How much time is seen at once.
    ///   - size: Characters and lines of the terminal.
    init(_ source: SourceDescription, seconds: Double = 5, size: (width: Int, height: Int)) {
        let measured = source.channels.indices.filter { source.channels[$0].role == .value }
        let wanted = measured.isEmpty ? Array(source.channels.indices) : measured
        let fitting = max(1, min(wanted.count, (max(size.height, 6) - 2) / 3))
        shown = Array(wanted.prefix(fitting))
        height = max(2, min(6, (max(size.height, 6) - 2) / fitting - 1))
        width = max(10, size.width - 22)
        names = shown.map { source.channels[$0].name }
        units = shown.map { source.channels[$0].unit }
        secondsOnScreen = seconds
        rate = source.rate ?? 10
        columns = [[(least: Double, greatest: Double)?]](repeating: [], count: fitting)
        bucket = [(least: Double, greatest: Double)?](repeating: nil, count: fitting)
        newest = [Double](repeating: .nan, count: fitting)
    }

    private let shown: [Int]

    /// Lines of the whole chart.
    var lineCount: Int { shown.count * (height + 1) }

    /// Takes samples: each dot column shows the least and the greatest of its time.
    mutating func add(_ block: SampleBlock) {
        let rowsInColumn = max(1, Int(rate * secondsOnScreen / Double(width * 2)))
        for row in 0..<block.rowCount {
            let values = block[row: row]
            for (place, channel) in shown.enumerated() where channel < values.count {
                let value = values[values.startIndex + channel]
                guard value.isFinite else { continue }
                newest[place] = value
                let old = bucket[place]
                bucket[place] = (min(old?.least ?? value, value), max(old?.greatest ?? value, value))
            }
            rowsInBucket += 1
            guard rowsInBucket >= rowsInColumn else { continue }
            rowsInBucket = 0
            for place in shown.indices {
                columns[place].append(bucket[place])
                if columns[place].count > width * 2 { columns[place].removeFirst() }
                bucket[place] = nil
            }
        }
    }

    /// The chart as lines of text.
    var lines: [String] { shown.indices.flatMap { lines(of: $0) } }

    // MARK: - Private

    private func lines(of place: Int) -> [String] {
        let seen = columns[place].compactMap(\.self)
        let least = seen.map(\.least).min() ?? 0
        let greatest = seen.map(\.greatest).max() ?? 1
        let span = greatest > least ? greatest - least : 1
        let dots = height * 4
        var cells = [[UInt32]](repeating: [UInt32](repeating: 0, count: width), count: height)
        var previous: Int?
        for (column, range) in columns[place].enumerated() {
            guard let range else {
                previous = nil
                continue
            }
            func level(_ value: Double) -> Int { Int(((value - least) / span * Double(dots - 1)).rounded()) }
            var (low, high) = (level(range.least), level(range.greatest))
            // A steep flank is drawn as one line.
            if let previous {
                low = min(low, previous + 1)
                high = max(high, previous - 1)
            }
            previous = level((range.least + range.greatest) / 2)
            for dot in max(low, 0)...max(max(low, 0), min(high, dots - 1)) {
                let fromTop = dots - 1 - dot
                cells[fromTop / 4][column / 2] |= Self.bit(column % 2, fromTop % 4)
            }
        }
        let unit = units[place].isEmpty ? "" : " \(units[place])"
        let value = newest[place].isFinite ? Self.short(newest[place]) + unit : "no value"
        var lines = ["\(names[place])  \(value)"]
        for (number, row) in cells.enumerated() {
            let label = number == 0 ? Self.short(greatest) : number == height - 1 ? Self.short(least) : ""
            let drawn = String(String.UnicodeScalarView(row.compactMap { Unicode.Scalar(0x2800 + $0) }))
            lines.append(String(repeating: " ", count: max(0, 10 - label.count)) + label + " │" + drawn)
        }
        return lines
    }

    /// The bit of a dot in a braille pattern.
    private static func bit(_ column: Int, _ row: Int) -> UInt32 {
        let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
        return bits[column][row]
    }

    /// At most ten characters.
    private static func short(_ value: Double) -> String {
        let magnitude = abs(value)
        let digits = magnitude >= 1000 ? 1.0 : magnitude >= 1 ? 1000.0 : 100_000.0
        let rounded = (value * digits).rounded() / digits
        return String((Int(exactly: rounded).map(String.init) ?? "\(rounded)").prefix(10))
    }
}

/// Draws a chart over itself on standard error, at most ten times a second.
final class LivePlot: Sendable {
    private struct State {
        var chart: BrailleChart
        var isPaused = false
        var drawn = 0
        var progress = ""
        var last: ContinuousClock.Instant?
    }

    private let console: Console
    private let state: Mutex<State>

    /// A plot for a source on this console.
    init(_ source: SourceDescription, _ console: Console) {
        self.console = console
        state = Mutex(State(chart: BrailleChart(source, size: console.size)))
    }

    /// Takes samples, and draws if it is time to.
    func add(_ block: SampleBlock) {
        let text = state.withLock { state -> String? in
            guard !state.isPaused else { return nil }
            state.chart.add(block)
            let now = ContinuousClock.now
            if let last = state.last, now - last < .milliseconds(100) { return nil }
            state.last = now
            return Self.draw(&state)
        }
        if let text { console.writeError(Array(text.utf8)) }
    }

    /// What the line below the chart says, with the next drawing.
    func tell(_ progress: String) { state.withLock { $0.progress = progress } }

    private static func draw(_ state: inout State) -> String {
        let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A" : ""
        let span = "\(Int(state.chart.secondsOnScreen)) s on screen"
        let paused = state.isPaused ? "  paused, space goes on" : ""
        let lines = state.chart.lines + ["\(span)  \(state.progress)\(paused)"]
        state.drawn = lines.count
        return "\r" + up + lines.map { "\u{1B}[K\(TerminalText.escaped($0))\n" }.joined()
    }

    /// Stops or goes on drawing; the recording goes on in any case. Returns whether it is paused now.
    @discardableResult
    func togglePause() -> Bool {
        let (isPaused, text) = state.withLock { state in
            state.isPaused.toggle()
            return (state.isPaused, state.drawn > 0 ? Self.draw(&state) : "")
        }
        console.writeError(Array(text.utf8))
        return isPaused
    }
}
