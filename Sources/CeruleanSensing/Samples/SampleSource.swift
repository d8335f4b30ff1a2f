// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// **The upper waist.** A device that produces samples: every driver makes one, every recorder, plot and gateway takes one.
///
/// ```swift
/// for await event in source.events() {
///     if case .block(let block) = event { print(block.firstIndex, block.rowCount, block.lostCount) }
/// }
/// ```
public protocol SampleSource: Sendable {
    /// The device and its channels; the same for the life of the source.
    var info: SourceDescription { get }
    /// The events, from the first sample on. Ask once: the acquisition starts with the first `next()` and is shared by nobody.
    ///
    /// Ends with one `.ended`. Cancelling the task that iterates stops the acquisition; so does ``stop()``.
    func events() -> SampleEvents
    /// Ends the acquisition; the events then end with `.stopped`. Safe at any time, and more than once.
    func stop() async
}

/// What produces samples, and what they are.
public struct SourceDescription: Hashable, Sendable {
    /// The kind of device in one lower-case word: `bitalino`, `bluest`, `redbear`, `sensortag`, `heartrate`, or `source`.
    public var kind: String
    /// What the device calls itself.
    public var name: String
    /// The device's address, where known.
    public var address: BluetoothAddress?
    /// The version of its firmware, `5.2`.
    public var firmware: String?
    /// The model as the recording formats name it, `bitalino_rev`.
    public var model: String?
    /// The channels in the order of the values in a row.
    public var channels: [Channel]
    /// Rows per second; nil if they come irregularly.
    public var rate: Double?
    /// Bits of the sequence number that counts rows on the air: 4 for a BITalino; nil if there is none.
    public var sequenceBits: Int?

    /// Describes a source.
    public init(
        kind: String, name: String, address: BluetoothAddress? = nil, firmware: String? = nil, model: String? = nil,
        channels: [Channel], rate: Double?, sequenceBits: Int? = nil
    ) {
        self.kind = kind
        self.name = name
        self.address = address
        self.firmware = firmware
        self.model = model
        self.channels = channels
        self.rate = rate
        self.sequenceBits = sequenceBits
    }
}

/// The events of a source, in order.
///
/// It holds nothing itself: each `next()` asks the source, whose documentation says how much it buffers and what it does when
/// the consumer is slow. Cancellation of the iterating task ends the acquisition.
public struct SampleEvents: AsyncSequence, Sendable {
    /// Yields the next event; nil at the end.
    public typealias Next = () async -> SampleEvent?

    private let makeNext: @Sendable () -> Next

    /// A sequence over what `makeNext` returns; it is called once for each iterator.
    public init(_ makeNext: @escaping @Sendable () -> Next) { self.makeNext = makeNext }

    /// Begins.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: makeNext()) }

    /// Asks the source for one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: Next

        /// The next event; nil behind `.ended`.
        public mutating func next() async -> SampleEvent? { await pull() }

        /// The next event; nil behind `.ended`.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SampleEvent? { await pull() }
    }
}
