// SPDX-License-Identifier: Apache-2.0

/// Splits long messages over small frames, and puts them together again. bluest.md §10.
///
/// From the host a length follows the first frame's marker, from the board none does.
public enum MessageTransport {
    static let start: UInt8 = 0x00
    static let startLong: UInt8 = 0x10
    static let startEnd: UInt8 = 0x20
    static let middle: UInt8 = 0x40
    static let end: UInt8 = 0x80

    /// The frames of a message from the host, each at most `frameSize` octets (at least 6 are used).
    public static func encode(_ message: [UInt8], frameSize: Int) -> [[UInt8]] {
        let count = message.count
        // 65535 octets and more have a length of four octets, and their own first marker.
        let length = count >= 0xFFFF ? bigEndian(count, octets: 4) : bigEndian(count, octets: 2)
        let isLong = count >= 0xFFFF
        return split(message, frameSize: frameSize) { isOnly in
            (isLong ? [startLong] : [isOnly ? startEnd : start]) + length
        }
    }

    /// The frames of a message from a board, without a length.
    public static func encodeFromBoard(_ message: [UInt8], frameSize: Int) -> [[UInt8]] {
        split(message, frameSize: frameSize) { isOnly in [isOnly ? startEnd : start] }
    }

    /// A message without what boards put behind the text: NUL, line ends and blanks.
    public static func trimmed(_ message: [UInt8]) -> [UInt8] {
        var end = message.endIndex
        while end > 0, [0x00, 0x0A, 0x0D, 0x20, 0x09].contains(message[end - 1]) { end -= 1 }
        return Array(message[..<end])
    }

    private static func bigEndian(_ number: Int, octets: Int) -> [UInt8] {
        (0..<octets).map { UInt8(truncatingIfNeeded: number >> (8 * (octets - 1 - $0))) }
    }

    private static func split(_ message: [UInt8], frameSize: Int, head: (Bool) -> [UInt8]) -> [[UInt8]] {
        let size = max(6, frameSize)
        let first = head(true)
        if message.count <= size - first.count, first[0] == startEnd { return [first + message] }
        let opening = head(false)
        var frames = [opening + message.prefix(size - opening.count)]
        var position = min(message.count, size - opening.count)
        while position < message.count {
            let next = min(message.count, position + size - 1)
            frames.append([next == message.count ? end : middle] + message[position..<next])
            position = next
        }
        return frames
    }
}

/// Puts the frames of messages together.
public struct MessageAssembler: Sendable {
    /// Which way the frames go.
    public enum Direction: Sendable {
        /// From a board: no length.
        case fromBoard
        /// From a host: a length behind the first marker.
        case fromHost
    }

    private let direction: Direction
    private let limit: Int
    private var message: [UInt8]?
    private var announced: Int?

    /// An assembler of messages up to `limit` octets.
    public init(_ direction: Direction = .fromBoard, limit: Int = 1 << 20) {
        self.direction = direction
        self.limit = limit
    }

    /// True while a message has begun and is not whole.
    public var isInMessage: Bool { message != nil }

    /// Octets of the unfinished message.
    public var pendingCount: Int { message?.count ?? 0 }

    /// Takes a frame; returns a message when it is whole.
    ///
    /// A start throws an unfinished message away; a middle or end without a start is passed over.
    ///
    /// - Throws: ``FeatureError`` with `truncated` for a frame without marker or length, `tooLong` beyond the limit.
    public mutating func received(_ frame: [UInt8]) throws(FeatureError) -> [UInt8]? {
        guard let marker = frame.first else { throw FeatureError(.truncated, needed: 1, available: 0) }
        var position = 1
        switch marker {
        case MessageTransport.start, MessageTransport.startLong, MessageTransport.startEnd:
            message = []
            announced = nil
            if direction == .fromHost {
                let octets = marker == MessageTransport.startLong ? 4 : 2
                guard frame.count > octets else {
                    message = nil
                    throw FeatureError(.truncated, needed: 1 + octets, available: frame.count)
                }
                announced = frame[1...octets].reduce(0) { $0 << 8 | Int($1) }
                position += octets
            }
        case MessageTransport.middle, MessageTransport.end: break
        default: return nil
        }
        guard var body = message else { return nil }
        message = nil
        guard body.count + frame.count - position <= limit else {
            throw FeatureError(.tooLong, needed: body.count + frame.count - position, available: limit)
        }
        body += frame[position...]
        // A long message may fit one frame: its length says so.
        let isWhole =
            marker == MessageTransport.startEnd || marker == MessageTransport.end
            || (marker == MessageTransport.startLong && announced == body.count)
        if isWhole { return body }
        message = body
        return nil
    }
}
