// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Digital signals, two bits each (2A56). How many there are stands in descriptor 2909; the rest is padding.
public struct DigitalSignals: ListedValue, Hashable {
    /// A signal.
    public enum Signal: String, Hashable, Sendable, CaseIterable {
        /// Off.
        case inactive
        /// On.
        case active
        /// Neither.
        case tristate
        /// Not known.
        case unknown
    }

    /// The signals, the first in the lowest bits.
    public var signals: [Signal] = []
    /// How many to read; nil reads all that the octets hold.
    public var count: Int?

    /// None.
    public init() {}

    /// Signals to be sent.
    public init(_ signals: [Signal]) {
        self.signals = signals
        count = signals.count
    }

    /// Reads `count` signals.
    public init(decoding bytes: [UInt8], count: Int?) throws(WireError) {
        self.count = count
        var coder = ValueCoder(reading: bytes)
        try visit(&coder)
    }

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        var octets = [UInt8](repeating: 0, count: (signals.count + 3) / 4)
        for (index, signal) in signals.enumerated() {
            octets[index / 4] |= UInt8(Signal.allCases.firstIndex(of: signal) ?? 3) << UInt8(index % 4 * 2)
        }
        let wanted = count.map { max(0, min($0, 1 << 16)) }
        let size = coder.isReading ? wanted.map { ($0 + 3) / 4 } ?? coder.remaining : octets.count
        try coder.octets("signals", &octets, count: size)
        if coder.isReading {
            signals = (0..<(wanted ?? octets.count * 4)).map { index in
                Signal.allCases[Int(octets[index / 4] >> UInt8(index % 4 * 2) & 3)]
            }
        }
        coder.relist("signals", .list(signals.map { .text($0.rawValue) }))
    }
}

/// What a human interface device is (2A4A).
public struct HIDInformation: ListedValue, Hashable {
    /// The version of the HID specification, 0xJJMN.
    public var version: UInt16 = 0x0111
    /// The country that the hardware was made for; 0 for none.
    public var countryCode: UInt8 = 0
    /// Bit 0: can wake a host; bit 1: connectable without a bond.
    public var flags: UInt8 = 0

    /// Version 1.11.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("version", &version)
        let minor = String(version & 0xFF, radix: 16)
        coder.relist("version", .text(String(version >> 8, radix: 16) + "." + (minor.count < 2 ? "0" : "") + minor))
        try coder.integer("countryCode", &countryCode)
        try coder.integer("remoteWake", &flags)
        coder.relist("remoteWake", .bool(flags & 1 == 1))
        coder.list("normallyConnectable", .bool(flags & 2 == 2))
    }
}
