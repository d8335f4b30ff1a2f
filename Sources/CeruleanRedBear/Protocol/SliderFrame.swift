// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The positions of three sliders, as the tutorial's sketch sends them: three groups of tag, high octet, low octet.
///
/// The position in the frame decides which slider it is; tags are carried and not interpreted.
public struct SliderFrame: Hashable, Sendable {
    /// Octets in a frame.
    public static let size = 9
    /// The greatest reading of the board's converter.
    public static let fullScale: UInt16 = 1023

    /// One slider.
    public struct Slider: Hashable, Sendable {
        /// What the sketch puts in front of the value.
        public var tag: UInt8
        /// The reading, 0 to 1023; what is beyond is kept and listed in ``SliderFrame/outOfRange``.
        public var value: UInt16

        /// A reading with its tag.
        public init(tag: UInt8, value: UInt16) {
            self.tag = tag
            self.value = value
        }

        /// The part of 1024: full scale is 0.9990234.
        public var normalized: Double { Double(value) / 1024 }
    }

    /// The first slider: red in the tutorial.
    public var first: Slider
    /// The second slider: green.
    public var second: Slider
    /// The third slider: blue.
    public var third: Slider

    /// A frame with tags 1, 2 and 3.
    public init(_ first: UInt16, _ second: UInt16, _ third: UInt16) {
        self.init(Slider(tag: 1, value: first), Slider(tag: 2, value: second), Slider(tag: 3, value: third))
    }

    /// A frame with tags of one's own.
    public init(_ first: Slider, _ second: Slider, _ third: Slider) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Reads a frame; octets behind the ninth are ignored.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count >= Self.size else { throw WireError(offset: bytes.count, reason: .truncated) }
        func slider(_ start: Int) -> Slider {
            Slider(tag: bytes[start], value: UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start + 2]))
        }
        self.init(slider(0), slider(3), slider(6))
    }

    /// The octets of the frame.
    ///
    /// - Throws: `WireError` if a value has more than ten bits.
    public func encoded() throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, slider) in sliders.enumerated() {
            guard slider.value <= Self.fullScale else { throw .invalid("slider value", at: index * 3 + 1) }
            bytes += [slider.tag, UInt8(slider.value >> 8), UInt8(truncatingIfNeeded: slider.value)]
        }
        return bytes
    }

    /// The three sliders in order.
    public var sliders: [Slider] { [first, second, third] }
    /// The three readings.
    public var values: [UInt16] { sliders.map(\.value) }
    /// The three readings as parts of 1024: red, green and blue of a colour.
    public var normalized: [Double] { sliders.map(\.normalized) }
    /// The positions of readings that ten bits cannot hold.
    public var outOfRange: [Int] { sliders.indices.filter { sliders[$0].value > Self.fullScale } }

    /// The frame under the names that `decode` uses.
    public var fields: FieldValue {
        var members: [FieldValue.Member] = [
            .init("tags", .list(sliders.map { FieldValue(integer: $0.tag) })),
            .init("values", .list(values.map { FieldValue(integer: $0) })),
            .init("normalized", .list(normalized.map { .number($0) })),
        ]
        if !outOfRange.isEmpty {
            members.append(.init("outOfRange", .list(outOfRange.map { FieldValue(integer: $0) })))
        }
        return .object(members)
    }
}

/// Decides when a board sends its sliders: when one of them differs from what was sent last by more than a threshold.
public struct SliderThreshold: Hashable, Sendable {
    /// A difference up to this is not sent.
    public var threshold: UInt16
    /// The tags of the frames.
    public var tags: [UInt8]
    private var sent: [UInt16] = [0, 0, 0]

    /// By default as the tutorial's sketch: more than 10, from zero. Tags beyond the third are ignored, missing ones
    /// are 0.
    public init(threshold: UInt16 = 10, tags: [UInt8] = [1, 2, 3]) {
        self.threshold = threshold
        self.tags = tags
    }

    /// What to send for new readings (three of them; missing ones are 0); nil if nothing changed enough.
    public mutating func update(_ readings: [UInt16]) -> SliderFrame? {
        let values = (0..<3).map { $0 < readings.count ? readings[$0] : 0 }
        let isNew = zip(values, sent).contains { $0 > $1 ? $0 - $1 > threshold : $1 - $0 > threshold }
        guard isNew else { return nil }
        sent = values
        let sliders = values.enumerated().map { index, value in
            SliderFrame.Slider(tag: index < tags.count ? tags[index] : 0, value: value)
        }
        return SliderFrame(sliders[0], sliders[1], sliders[2])
    }
}
