// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

extension StackHost {
    /// Takes channels that peers open.
    public func listen(
        to psm: UInt16?, options: ChannelOptions, for sink: any HostEventSink,
        completion: @escaping HostCompletion<UInt16>
    ) {
        engine.listen(to: psm, options: options, for: sink, now: loop.now, completion: completion)
    }

    /// Takes no more channels.
    public func stopListening(to psm: UInt16) { engine.stopListening(to: psm) }

    /// Opens channels.
    public func openChannels(
        _ count: Int, to psm: UInt16, on link: LinkID, options: ChannelOptions, for sink: any HostEventSink,
        timeout: Duration, completion: @escaping HostCompletion<[ChannelInfo]>
    ) -> OperationID {
        defer { rearm() }
        return engine.openChannels(
            count, to: psm, on: link, options: options, for: sink, timeout: timeout, now: loop.now,
            completion: completion)
    }

    /// Sends one unit.
    ///
    /// - Throws: `invalidArgument` when it is too long for the peer.
    public func send(_ unit: [UInt8], on channel: ChannelID) throws(HostError) -> Bool {
        defer { rearm() }
        return try engine.send(unit, on: channel, now: loop.now)
    }

    /// Gives room back.
    public func consume(_ octets: Int, of channel: ChannelID) {
        engine.consume(octets, of: channel, now: loop.now)
        rearm()
    }

    /// Closes a channel behind what is queued.
    public func closeChannel(_ channel: ChannelID, completion: @escaping HostCompletion<Void>) {
        engine.closeChannel(channel, now: loop.now, completion: completion)
        rearm()
    }

    /// Opens bearers of enhanced ATT.
    public func openParallelBearers(
        _ count: Int, on link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        defer { rearm() }
        return engine.openParallelBearers(count, on: link, timeout: timeout, now: loop.now, completion: completion)
    }
}
