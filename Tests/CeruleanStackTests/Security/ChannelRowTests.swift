// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanStack
import CeruleanWire
import Testing

/// Rows L10 to L14 of the security list: credit based channels with a peer that lies.
@Suite struct ChannelRowTests {
    private let sink = Sink()
    private let script = Script()

    private func listening(
        _ psm: UInt16 = 0x80, options: ChannelOptions = ChannelOptions(maximumUnit: 100, window: 400)
    ) {
        script.connectionComplete(1)
        script.engine.listen(to: psm, options: options, for: sink, now: script.now) { _ in }
    }

    /// The controller has sent what it had.
    private func flush() { script.event(0x13, [1, 1, 0, 8, 0]) }

    private static func le(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    /// LE Credit Based Connection Request (0x14).
    private func request(
        psm: Int = 0x80, source: Int = 0x40, mtu: Int = 100, mps: Int = 50, credits: Int = 10, identifier: UInt8 = 7
    ) {
        let numbers = [psm, source, mtu, mps, credits].flatMap(Self.le)
        flush()
        script.frame(1, channel: 5, [0x14, identifier, 10, 0] + numbers)
    }

    /// Credit Based Connection Request (0x17).
    private func request(psm: Int = 0x80, sources: [Int], mtu: Int = 100, mps: Int = 64, credits: Int = 10) {
        let numbers = ([psm, mtu, mps, credits] + sources).flatMap(Self.le)
        script.frame(1, channel: 5, [0x17, 9] + Self.le(numbers.count) + numbers)
    }

    private var events: [ChannelEvent] {
        sink.events.compactMap { if case .channel(let event) = $0 { event } else { nil } }
    }

    /// The last signal that was sent: code and data.
    private var signal: (code: UInt8, data: [UInt8]) {
        let last = script.frames(on: 5).last ?? []
        return (last.first ?? 0, Array(last.dropFirst(4)))
    }

    private func result(of signal: (code: UInt8, data: [UInt8])) -> Int {
        guard signal.data.count >= 10 else { return -1 }
        let at = signal.code == 0x15 ? 8 : 6
        return Int(signal.data[at]) | Int(signal.data[at + 1]) << 8
    }

    @Test func l10_aChannelOpens() {
        listening()
        request()
        // Our end, MTU 100, MPS 104 (four data packets of 27 octets without the header), four frames as credits, success.
        #expect(signal.code == 0x15)
        #expect(Array(signal.data.prefix(8)) == [0x40, 0, 100, 0, 104, 0, 4, 0])
        #expect(result(of: signal) == 0)
        guard case .opened(let info) = events.first else {
            Issue.record("no channel")
            return
        }
        #expect(info.psm == 0x80 && info.isIncoming && info.maximumSend == 100 && info.maximumReceive == 100)
    }

    /// Frames fill whole data packets, whatever their length on this link is.
    @Test(arguments: [
        (27, 100, 104), (27, 2048, 509), (251, 100, 247), (251, 2048, 498), (251, 400, 498), (60, 64, 116),
    ])
    func framesFitTheLink(packet: Int, unit: Int, mps: Int) {
        script.connectionComplete(1)
        // LE Data Length Change: handle, octets and time both ways.
        script.event(0x3E, [0x07, 1, 0] + [packet, 2120, packet, 2120].flatMap(Self.le))
        script.engine.listen(
            to: 0x80, options: ChannelOptions(maximumUnit: unit), for: sink, now: script.now
        ) { _ in }
        request()
        #expect(Array(signal.data[2..<6]) == Self.le(unit) + Self.le(mps))
    }

    /// A peer takes the longest units and frames that there are: they go out whole.
    @Test func theLongestFramesGoOut() throws {
        listening()
        request(mtu: 65_535, mps: 65_533, credits: 2)
        guard case .opened(let info) = events.last else {
            Issue.record("not opened")
            return
        }
        script.packets = []
        let unit = [UInt8](repeating: 5, count: 65_535)
        #expect(try script.engine.send(unit, on: info.id, now: script.now))
        for _ in 0..<1000 {
            let before = script.packets.count
            flush()
            if script.packets.count == before { break }
        }
        let octets = script.packets.reduce(0) { $0 + $1.count - 4 }
        // Two frames with their headers, and the length of the unit.
        #expect(octets == 65_535 + 2 + 8)
        #expect(script.isAlive(1))
    }

    @Test(arguments: [
        (0x81, 0x40, 100, 50, 0x0002), (0, 0x40, 100, 50, 0x0002), (0x100, 0x40, 100, 50, 0x0002),
        (0x80, 0x3F, 100, 50, 0x0009), (0x80, 0x80, 100, 50, 0x0009), (0x80, 0, 100, 50, 0x0009),
        (0x80, 0x40, 22, 50, 0x000B), (0x80, 0x40, 100, 22, 0x000B), (0x80, 0x40, 100, 65_534, 0x000B),
    ])
    func l10_impossibleRequestsOpenNothing(psm: Int, source: Int, mtu: Int, mps: Int, wanted: Int) {
        listening()
        request(psm: psm, source: source, mtu: mtu, mps: mps)
        #expect(result(of: signal) == wanted)
        #expect(Array(signal.data.prefix(2)) == [0, 0])
        #expect(events.isEmpty && script.isAlive(1))
    }

    @Test func l10_anEndOfThePeersServesOneChannel() {
        listening()
        request()
        request(identifier: 8)
        #expect(result(of: signal) == 0x000A)
        #expect(events.count == 1)
    }

    @Test func l10_aLinkThatIsNotSecureEnoughIsRefused() {
        listening(options: ChannelOptions(security: .encrypted))
        request()
        #expect(result(of: signal) == 0x0005)
        request(sources: [0x40, 0x41])
        #expect(signal.code == 0x18 && result(of: signal) == 0x0005)
        #expect(Array(signal.data.suffix(4)) == [0, 0, 0, 0])
        #expect(events.isEmpty)
    }

    @Test func l10_thereIsAnEndToChannels() {
        listening()
        for index in 0..<70 { request(source: 0x40 + index % 64, identifier: UInt8(index + 1)) }
        #expect(events.count == 64)
        #expect(script.isAlive(1))
    }

    /// What breaks the rules of a channel closes it and nothing else.
    @Test(arguments: [
        ("beyond the MPS", [[UInt8](repeating: 0, count: 105)]), ("beyond the MTU", [[101, 0]]),
        ("longer than it said", [[3, 0, 1, 2], [3, 4]]), ("without the length", [[1]]),
        ("without credit", Array(repeating: [100, 0] + [UInt8](repeating: 9, count: 100), count: 12)),
    ])
    func l11_brokenFramesCloseTheChannel(text: String, frames: [[UInt8]]) {
        // Nobody gives the octets back: the window of four frames is used up by a few units.
        listening()
        request()
        for frame in frames { script.frame(1, channel: 0x40, frame) }
        // Disconnection Request: the peer's end, ours.
        #expect(signal.code == 0x06)
        #expect(signal.data == [0x40, 0, 0x40, 0])
        guard case .closed(_, let reason) = events.last else {
            Issue.record("not closed: \(events)")
            return
        }
        #expect(reason.code == .invalidResponse)
        #expect(reason.detail?.contains(text) == true, "\(reason.detail ?? "")")
        #expect(script.isAlive(1))
        // Whatever comes on it now is nobody's.
        let count = events.count
        script.frame(1, channel: 0x40, [1, 0, 9])
        #expect(events.count == count)
    }

    @Test func l11_emptyUnitsDoNotPileUp() {
        listening()
        request()
        for _ in 0..<1100 {
            script.frame(1, channel: 0x40, [0, 0])
            flush()
        }
        // However short a unit is, it takes one of the four frames of the window until it was used.
        let received = events.filter { if case .received = $0 { true } else { false } }
        #expect(received.count == 4)
        guard case .closed = events.last else {
            Issue.record("the window has no end")
            return
        }
    }

    @Test func l12_creditsOverflowOrNoneCloseTheChannel() {
        for credits in [0, 65_526] {
            let test = ChannelRowTests()
            test.listening()
            test.request()
            test.script.frame(1, channel: 5, [0x16, 3, 4, 0, 0x40, 0] + Self.le(credits))
            #expect(test.signal.code == 0x06)
            #expect(test.script.isAlive(1))
        }
        // As many as can be are no fault; those for a channel that is not there are nobody's.
        listening()
        request()
        script.frame(1, channel: 5, [0x16, 3, 4, 0, 0x40, 0] + Self.le(65_525))
        script.frame(1, channel: 5, [0x16, 4, 4, 0, 0x55, 0, 0, 0])
        #expect(signal.code == 0x15)
    }

    @Test func l13_severalChannelsOpenAtOnce() {
        listening()
        request(sources: [0x50, 0x51, 0x52])
        #expect(signal.code == 0x18 && result(of: signal) == 0)
        #expect(Array(signal.data.suffix(6)) == [0x40, 0, 0x41, 0, 0x42, 0])
        #expect(events.count == 3)
    }

    @Test(arguments: [
        ([], 100, 64, 0x000C, 0), ([0x40, 0x41, 0x42, 0x43, 0x44, 0x45], 100, 64, 0x000C, 0),
        ([0x40], 63, 64, 0x000C, 0), ([0x40], 100, 63, 0x000C, 0), ([0x40, 0x40], 100, 64, 0x000A, 1),
        ([0x40, 0x3F], 100, 64, 0x0009, 1),
    ])
    func l13_impossibleCounts(sources: [Int], mtu: Int, mps: Int, wanted: Int, opened: Int) {
        listening()
        request(sources: sources, mtu: mtu, mps: mps)
        #expect(signal.code == 0x18)
        let at = 6
        #expect(Int(signal.data[at]) | Int(signal.data[at + 1]) << 8 == wanted)
        #expect(events.count == opened)
        #expect(script.isAlive(1))
    }

    /// Credit Based Reconfigure Request (0x19).
    @Test(arguments: [
        ([0x50], 100, 64, 0), ([0x50, 0x51], 200, 100, 0), ([0x50], 99, 64, 1), ([0x50, 0x51], 100, 63, 4),
        ([0x50, 0x51], 100, 65, 2), ([0x50], 100, 65, 0), ([0x60], 100, 80, 3), ([], 100, 80, 3),
        ([0x50, 0x50], 100, 80, 3), ([0x50], 63, 64, 4),
    ])
    func l13_reconfiguring(ends: [Int], mtu: Int, mps: Int, wanted: UInt8) {
        listening()
        request(sources: [0x50, 0x51], mps: 80)
        let numbers = ([mtu, mps] + ends).flatMap(Self.le)
        script.frame(1, channel: 5, [0x19, 4] + Self.le(numbers.count) + numbers)
        #expect(signal.code == 0x1A)
        #expect(signal.data == [wanted, 0])
    }

    @Test func l14_aThousandChannelsLeakNothing() {
        listening()
        for index in 0..<1000 {
            request(identifier: UInt8(index % 255 + 1))
            #expect(signal.code == 0x15 && result(of: signal) == 0)
            let mine = Array(signal.data.prefix(2))
            #expect(mine == [0x40, 0])
            // Disconnection Request: our end, the peer's.
            flush()
            script.frame(1, channel: 5, [0x06, UInt8(index % 255 + 1), 4, 0] + mine + [0x40, 0])
            #expect(signal.code == 0x07)
            script.packets = []
        }
        #expect(events.count == 2000)
        #expect(script.isAlive(1))
    }

    private func open(
        _ outcome: Outcome<[ChannelInfo]>, _ options: ChannelOptions = ChannelOptions()
    ) throws {
        let link = try #require(script.engine.linkInfos.first).id
        flush()
        _ = script.engine.openChannels(
            1, to: 0x80, on: link, options: options, for: sink, timeout: .seconds(5), now: script.now,
            completion: outcome.completion)
    }

    /// A peer that answers nothing: each caller hears of it in its own time, and a minute later all ends are free again.
    @Test func l14_requestsThatNobodyAnswersAreForgotten() throws {
        script.connectionComplete(1)
        for _ in 0..<3 {
            let outcomes = (0..<40).map { _ in Outcome<[ChannelInfo]>() }
            script.packets = []
            for outcome in outcomes { try open(outcome) }
            // 32 may wait; the others are refused at once.
            #expect(script.frames(on: 5).count == 32)
            #expect(outcomes.count { $0.error?.code == .queueFull } == 8)
            script.tick(after: .seconds(6))
            #expect(outcomes.count { $0.error?.code == .timedOut } == 32)
            script.tick(after: .seconds(55))
        }
        let outcome = Outcome<[ChannelInfo]>()
        try open(outcome)
        #expect(Array(signal.data.prefix(4)) == [0x80, 0, 0x40, 0])
    }

    /// An answer that comes when nobody waits any more opens nothing: the channel is closed at once.
    @Test func l14_aLateAnswerIsUndone() throws {
        script.connectionComplete(1)
        let outcome = Outcome<[ChannelInfo]>()
        try open(outcome)
        let identifier = try #require(script.frames(on: 5).last)[1]
        script.tick(after: .seconds(20))
        #expect(outcome.error?.code == .timedOut)
        flush()
        script.frame(1, channel: 5, [0x15, identifier, 10, 0] + [0x55, 100, 50, 10, 0].flatMap(Self.le))
        #expect(signal.code == 0x06 && signal.data == [0x55, 0, 0x40, 0])
    }

    /// "Pending" gives a peer five minutes, once.
    @Test func l14_aPeerThatSaysItTakesTimeGetsIt() throws {
        script.connectionComplete(1)
        let outcome = Outcome<[ChannelInfo]>()
        try open(outcome, ChannelOptions(isEnhanced: true))
        let identifier = try #require(script.frames(on: 5).last)[1]
        let pending = [0x18, identifier, 8, 0] + [100, 64, 0, 0x000D].flatMap(Self.le)
        script.frame(1, channel: 5, pending)
        script.tick(after: .seconds(200))
        script.frame(1, channel: 5, pending)
        #expect(outcome.error?.code == .timedOut)
        // The answer is still understood, and what it opened is closed.
        flush()
        script.frame(1, channel: 5, [0x18, identifier, 10, 0] + [100, 64, 5, 0, 0x55].flatMap(Self.le))
        #expect(signal.code == 0x06 && signal.data == [0x55, 0, 0x40, 0])
        let second = Outcome<[ChannelInfo]>()
        try open(second, ChannelOptions(isEnhanced: true))
        let other = try #require(script.frames(on: 5).last)[1]
        script.frame(1, channel: 5, [0x18, other, 8, 0] + [100, 64, 0, 0x000D].flatMap(Self.le))
        script.tick(after: .seconds(301))
        script.packets = []
        flush()
        script.frame(1, channel: 5, [0x18, other, 10, 0] + [100, 64, 5, 0, 0x56].flatMap(Self.le))
        #expect(script.frames(on: 5).isEmpty)
    }

    /// Nothing of a channel that was closed goes on: not its timers, and not its identifier.
    @Test func l14_closingLeavesNothing() throws {
        listening()
        script.tick(after: .seconds(1))
        let rest = script.engine.nextDeadline
        for index in 0..<300 {
            request(identifier: UInt8(index % 255 + 1))
            guard case .opened(let info) = events.last else {
                Issue.record("not opened")
                return
            }
            let outcome = Outcome<Void>()
            script.engine.closeChannel(info.id, now: script.now, completion: outcome.completion)
            #expect(signal.code == 0x06)
            flush()
            if index % 2 == 0 {
                let identifier = try #require(script.frames(on: 5).last)[1]
                script.frame(1, channel: 5, [0x07, identifier, 4, 0, 0x40, 0, 0x40, 0])
            } else {
                // The peer closes it at the same time.
                script.frame(1, channel: 5, [0x06, 200, 4, 0, 0x40, 0, 0x40, 0])
            }
            #expect(outcome.results.count == 1)
            script.packets = []
        }
        script.tick(after: .milliseconds(1))
        #expect(script.engine.nextDeadline == rest)
        // No identifier is lost: 32 requests go out, as at the start.
        for _ in 0..<32 { try open(Outcome<[ChannelInfo]>()) }
        let identifiers = Set(script.frames(on: 5).map { $0[1] })
        #expect(identifiers.count == 32 && !identifiers.contains(0))
    }

    @Test func closingWhatIsNotThereIsRejected() {
        listening()
        script.frame(1, channel: 5, [0x06, 4, 4, 0, 0x41, 0, 0x40, 0])
        // Command Reject: invalid channel, with both ends.
        #expect(signal.code == 0x01)
        #expect(signal.data == [2, 0, 0x41, 0, 0x40, 0])
        // With another source it is ignored.
        request()
        script.frame(1, channel: 5, [0x06, 4, 4, 0, 0x40, 0, 0x41, 0])
        #expect(signal.code == 0x15)
    }

    /// An answer to a request of ours that cannot be.
    @Test(arguments: [
        ([0x3F, 100, 50, 10, 0], HostError.Code.invalidResponse), ([0x41, 22, 50, 10, 0], .invalidResponse),
        ([0x41, 100, 22, 10, 0], .invalidResponse), ([0, 0, 0, 0, 2], .refused), ([0, 0, 0, 0, 4], .refused),
        ([0, 0, 0, 0, 5], .insufficientSecurity), ([0, 0, 0, 0, 0x77], .refused),
    ])
    func l10_answersThatOpenNothing(numbers: [Int], code: HostError.Code) throws {
        script.connectionComplete(1)
        let link = try #require(script.engine.linkInfos.first).id
        var outcome: Result<[ChannelInfo], HostError>?
        nonisolated(unsafe) let note: (Result<[ChannelInfo], HostError>) -> Void = { outcome = $0 }
        _ = script.engine.openChannels(
            1, to: 0x80, on: link, options: ChannelOptions(), for: sink, timeout: .seconds(5), now: script.now
        ) { note($0) }
        let identifier = try #require(script.frames(on: 5).last)[1]
        script.frame(1, channel: 5, [0x15, identifier, 10, 0] + numbers.flatMap(Self.le))
        guard case .failure(let error) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(error.code == code)
        // The end is free again.
        _ = script.engine.openChannels(
            1, to: 0x80, on: link, options: ChannelOptions(), for: sink, timeout: .seconds(5), now: script.now
        ) { note($0) }
        #expect(Array((script.frames(on: 5).last ?? []).dropFirst(4).prefix(4)) == [0x80, 0, 0x40, 0])
    }
}
