// SPDX-License-Identifier: Apache-2.0

/// Reads HCI packets out of captures: btsnoop (H4, plain HCI, and the Linux monitor's), pcapng and pcap (H4 with and without
/// direction, and the Linux monitor's).
///
/// Octets are fed cut anywhere. A file that cannot be read any further ends with an error; what was read before counts.
/// ```swift
/// var reader = HCICaptureReader()
/// for record in try reader.feed(octets) { print(record.packet) }
/// try reader.finish()
/// ```
public struct HCICaptureReader: Sendable {
    /// One packet of a capture.
    public struct Record: Hashable, Sendable {
        /// The H4 packet, its type octet included.
        public var packet: [UInt8]
        /// True from the controller to the host; nil where the format does not tell.
        public var isReceived: Bool?
        /// Microseconds since 1970-01-01, UTC; 0 where the format does not tell.
        public var microseconds: Int64
        /// Octets that the packet had before it was cut for the capture.
        public var originalLength: Int
    }

    /// Why a capture cannot be read.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, for people.
        public var description: String
        /// Where, counted in octets from the start of the file.
        public var offset: Int
    }

    /// The longest record that is taken, in octets.
    public static let maximumRecord = 1 << 20

    private enum Form: Sendable {
        case unknown
        case snoop(link: UInt32)
        case pcap(isBig: Bool, isNanoseconds: Bool, link: UInt32)
        case pcapng(isBig: Bool)
    }

    private struct Interface: Sendable {
        var link: UInt32
        /// Ticks for each second.
        var resolution: UInt64 = 1_000_000
    }

    private var form = Form.unknown
    private var buffer: [UInt8] = []
    /// Octets of the file in front of the buffer.
    private var base = 0
    private var interfaces: [Interface] = []
    private var failure: Failure?

    /// Starts at the first octet of a file.
    public init() {}

    /// Takes the next octets and returns the packets that are whole now.
    ///
    /// - Throws: ``Failure``; once it was thrown every further call throws it.
    public mutating func feed(_ octets: some Sequence<UInt8>) throws(Failure) -> [Record] {
        if let failure { throw failure }
        buffer.append(contentsOf: octets)
        var records: [Record] = []
        var position = 0
        do {
            while let size = try step(at: position, into: &records) { position += size }
        } catch {
            failure = error
            // What was read before the fault is not lost: it is told with the next call.
            guard records.isEmpty else {
                discard(position)
                return records
            }
            throw error
        }
        discard(position)
        return records
    }

    /// Call it at the end of the file.
    ///
    /// - Throws: ``Failure`` when it ends in the middle of a record, is empty or no capture.
    public mutating func finish() throws(Failure) {
        if let failure { throw failure }
        if case .unknown = form { throw Failure(description: "no btsnoop, pcap or pcapng file", offset: base) }
        if !buffer.isEmpty { throw Failure(description: "the file ends within a record", offset: base) }
    }

    // MARK: - private

    private mutating func discard(_ count: Int) {
        buffer.removeFirst(count)
        base += count
    }

    /// Octets that were used; nil when more are needed.
    private mutating func step(at position: Int, into records: inout [Record]) throws(Failure) -> Int? {
        switch form {
        case .unknown: return try start(at: position)
        case .snoop(let link): return try snoopRecord(at: position, link, &records)
        case .pcap(let isBig, let isNanoseconds, let link):
            return try pcapRecord(at: position, isBig, isNanoseconds, link, &records)
        case .pcapng(let isBig): return try block(at: position, isBig, &records)
        }
    }

    private func have(_ count: Int, at position: Int) -> Bool { buffer.count - position >= count }

    private func number(_ position: Int, isBig: Bool) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<4 {
            let octet = UInt32(buffer[position + index])
            value |= octet << UInt32(8 * (isBig ? 3 - index : index))
        }
        return value
    }

    private func short(_ position: Int, isBig: Bool) -> UInt16 {
        let (a, b) = (UInt16(buffer[position]), UInt16(buffer[position + 1]))
        return isBig ? a << 8 | b : b << 8 | a
    }

    private func fault(_ text: String, _ position: Int) -> Failure {
        Failure(description: text, offset: base + position)
    }

    private func size(_ length: UInt32, _ position: Int) throws(Failure) -> Int {
        guard length <= UInt32(Self.maximumRecord) else {
            throw fault("a record of \(length) octets is longer than any packet", position)
        }
        return Int(length)
    }

    private mutating func start(at position: Int) throws(Failure) -> Int? {
        guard have(4, at: position) else { return nil }
        switch number(position, isBig: true) {
        case 0x6274_736E:
            guard have(16, at: position) else { return nil }
            guard Array(buffer[position..<position + 8]) == Array("btsnoop".utf8) + [0] else {
                throw fault("no btsnoop, pcap or pcapng file", position)
            }
            let version = number(position + 8, isBig: true)
            let link = number(position + 12, isBig: true)
            guard version == 1 else { throw fault("btsnoop of version \(version)", position + 8) }
            guard [1001, 1002, 2001].contains(link) else { throw fault("btsnoop link type \(link)", position + 12) }
            form = .snoop(link: link)
            return 16
        case 0x0A0D_0D0A:
            guard have(12, at: position) else { return nil }
            return try section(at: position)
        case let magic:
            let kinds: [UInt32: (isBig: Bool, isNanoseconds: Bool)] = [
                0xA1B2_C3D4: (true, false), 0xD4C3_B2A1: (false, false), 0xA1B2_3C4D: (true, true),
                0x4D3C_B2A1: (false, true),
            ]
            guard let kind = kinds[magic] else { throw fault("no btsnoop, pcap or pcapng file", position) }
            guard have(24, at: position) else { return nil }
            let link = number(position + 20, isBig: kind.isBig) & 0x0FFF_FFFF
            try check(link, position + 20)
            form = .pcap(isBig: kind.isBig, isNanoseconds: kind.isNanoseconds, link: link)
            return 24
        }
    }

    private func check(_ link: UInt32, _ position: Int) throws(Failure) {
        guard [187, 201, 254].contains(link) else {
            throw fault("link type \(link) is no Bluetooth HCI", position)
        }
    }

    // MARK: btsnoop

    private func snoopRecord(at position: Int, _ link: UInt32, _ records: inout [Record]) throws(Failure) -> Int? {
        guard have(24, at: position) else { return nil }
        let original = number(position, isBig: true)
        let length = try size(number(position + 4, isBig: true), position + 4)
        guard have(24 + length, at: position) else { return nil }
        let flags = number(position + 8, isBig: true)
        let time = UInt64(number(position + 16, isBig: true)) << 32 | UInt64(number(position + 20, isBig: true))
        // Microseconds since the year 0: that many until 1970.
        let microseconds = Int64(bitPattern: time) &- 0x00DC_DDB3_0F2F_8000
        let data = Array(buffer[position + 24..<position + 24 + length])
        switch link {
        case 1001:
            let type: UInt8 = flags & 2 == 0 ? 2 : flags & 1 == 0 ? 1 : 4
            add([type] + data, flags & 1 == 1, microseconds, Int(clamping: original) + 1, &records)
        case 2001: addMonitor(flags & 0xFFFF, data, microseconds, &records)
        default: add(data, flags & 1 == 1, microseconds, Int(clamping: original), &records)
        }
        return 24 + length
    }

    /// What the kernel's monitor says: only HCI packets count.
    private func addMonitor(
        _ opcode: UInt32, _ data: [UInt8], _ microseconds: Int64, _ records: inout [Record]
    ) {
        let kinds: [UInt32: (UInt8, Bool)] = [
            2: (1, false), 3: (4, true), 4: (2, false), 5: (2, true), 6: (3, false), 7: (3, true), 18: (5, false),
            19: (5, true),
        ]
        guard let (type, isReceived) = kinds[opcode] else { return }
        add([type] + data, isReceived, microseconds, data.count + 1, &records)
    }

    private func add(
        _ packet: [UInt8], _ isReceived: Bool?, _ microseconds: Int64, _ original: Int, _ records: inout [Record]
    ) {
        records.append(
            Record(
                packet: packet, isReceived: isReceived, microseconds: microseconds,
                originalLength: max(original, packet.count)))
    }

    // MARK: pcap

    private func pcapRecord(
        at position: Int, _ isBig: Bool, _ isNanoseconds: Bool, _ link: UInt32, _ records: inout [Record]
    ) throws(Failure) -> Int? {
        guard have(16, at: position) else { return nil }
        let length = try size(number(position + 8, isBig: isBig), position + 8)
        guard have(16 + length, at: position) else { return nil }
        let fraction = Int64(number(position + 4, isBig: isBig))
        let time = Int64(number(position, isBig: isBig)) * 1_000_000 + (isNanoseconds ? fraction / 1000 : fraction)
        let data = Array(buffer[position + 16..<position + 16 + length])
        addFrame(data, link, time, &records)
        return 16 + length
    }

    private func addFrame(_ data: [UInt8], _ link: UInt32, _ microseconds: Int64, _ records: inout [Record]) {
        switch link {
        case 201:
            // The direction, big-endian, in front.
            guard data.count > 4 else { return }
            add(Array(data.dropFirst(4)), data[3] & 1 == 1, microseconds, data.count - 4, &records)
        case 254:
            guard data.count >= 4 else { return }
            addMonitor(UInt32(data[2]) << 8 | UInt32(data[3]), Array(data.dropFirst(4)), microseconds, &records)
        default:
            guard !data.isEmpty else { return }
            // Without a direction only commands and events tell theirs.
            let isReceived: Bool? = data[0] == 1 ? false : data[0] == 4 ? true : nil
            add(data, isReceived, microseconds, data.count, &records)
        }
    }

    // MARK: pcapng

    private mutating func section(at position: Int) throws(Failure) -> Int? {
        let magic = number(position + 8, isBig: true)
        let isBig: Bool
        switch magic {
        case 0x1A2B_3C4D: isBig = true
        case 0x4D3C_2B1A: isBig = false
        default: throw fault("a pcapng section without byte order", position + 8)
        }
        let length = try blockLength(at: position, isBig)
        guard have(length, at: position) else { return nil }
        form = .pcapng(isBig: isBig)
        interfaces = []
        return length
    }

    private func blockLength(at position: Int, _ isBig: Bool) throws(Failure) -> Int {
        let length = try size(number(position + 4, isBig: isBig), position + 4)
        guard length >= 12, length % 4 == 0 else { throw fault("a pcapng block of \(length) octets", position + 4) }
        return length
    }

    private mutating func block(at position: Int, _ isBig: Bool, _ records: inout [Record]) throws(Failure) -> Int? {
        guard have(12, at: position) else { return nil }
        let type = number(position, isBig: isBig)
        if type == 0x0A0D_0D0A { return try section(at: position) }
        let length = try blockLength(at: position, isBig)
        guard have(length, at: position) else { return nil }
        // Behind type and length, before the length that closes the block.
        let (start, end) = (position + 8, position + length - 4)
        switch type {
        case 1 where end - start >= 8:
            guard interfaces.count < 256 else { throw fault("more than 256 interfaces", position) }
            let link = UInt32(short(start, isBig: isBig))
            try check(link, start)
            var interface = Interface(link: link)
            readOptions(start + 8, end, isBig) { code, value in
                if code == 9, let first = value.first { interface.resolution = Self.resolution(first) }
            }
            interfaces.append(interface)
        case 6 where end - start >= 20: try enhanced(start, end, isBig, &records)
        case 3 where end - start >= 4:
            guard let interface = interfaces.first else { throw fault("a packet without interface", position) }
            let count = min(Int(clamping: number(start, isBig: isBig)), end - start - 4)
            addFrame(Array(buffer[start + 4..<start + 4 + count]), interface.link, 0, &records)
        default: break
        }
        return length
    }

    private func enhanced(_ start: Int, _ end: Int, _ isBig: Bool, _ records: inout [Record]) throws(Failure) {
        let index = Int(clamping: number(start, isBig: isBig))
        guard index < interfaces.count else { throw fault("a packet of interface \(index), which is not there", start) }
        let interface = interfaces[index]
        let ticks = UInt64(number(start + 4, isBig: isBig)) << 32 | UInt64(number(start + 8, isBig: isBig))
        let count = Int(clamping: number(start + 12, isBig: isBig))
        guard count <= end - start - 20 else { throw fault("a packet longer than its block", start + 12) }
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: interface.resolution)
        let fraction = rest.multipliedFullWidth(by: 1_000_000)
        // The remainder is below the resolution, so the quotient fits.
        let part = interface.resolution.dividingFullWidth(fraction).quotient
        let microseconds = Int64(truncatingIfNeeded: seconds &* 1_000_000 &+ part)
        addFrame(Array(buffer[start + 20..<start + 20 + count]), interface.link, microseconds, &records)
    }

    private func readOptions(
        _ start: Int, _ end: Int, _ isBig: Bool, _ body: (_ code: UInt16, _ value: ArraySlice<UInt8>) -> Void
    ) {
        var position = start
        while position + 4 <= end {
            let (code, count) = (short(position, isBig: isBig), Int(short(position + 2, isBig: isBig)))
            guard code != 0, position + 4 + count <= end else { return }
            body(code, buffer[position + 4..<position + 4 + count])
            position += 4 + (count + 3) / 4 * 4
        }
    }

    /// Ticks a second: a power of ten, or of two when the highest bit is set.
    private static func resolution(_ octet: UInt8) -> UInt64 {
        let exponent = Int(octet & 0x7F)
        if octet & 0x80 != 0 { return 1 << UInt64(min(exponent, 62)) }
        return (0..<min(exponent, 18)).reduce(UInt64(1)) { value, _ in value * 10 }
    }
}
