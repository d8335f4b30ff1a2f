// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

extension ScriptedHost {
    /// Opens channels that take units of 4 octets, at once.
    public func openChannels(
        _ count: Int, to psm: UInt16, on link: LinkID, options: ChannelOptions, for sink: any HostEventSink,
        timeout: Duration, completion: @escaping HostCompletion<[ChannelInfo]>
    ) -> OperationID {
        note("openChannels \(psm)")
        let infos = (0..<count).map { _ in
            ChannelInfo(
                id: ChannelID(rawValue: number()), link: link, peer: peer, psm: psm, isIncoming: false,
                maximumSend: 4, maximumReceive: options.maximumUnit)
        }
        for info in infos { channels[info.id] = OpenChannel(info: info, sink: sink) }
        return run(.success(infos), on: link, timeout: timeout, completion: completion)
    }

    /// Takes a unit while there is room. One that refused tells of room again from inside the call that takes the next unit,
    /// which is the earliest that `Host` allows.
    public func send(_ unit: [UInt8], on channel: ChannelID) -> Bool {
        guard let open = channels[channel] else { return true }
        guard unitRoom > 0 else {
            channels[channel]?.owesReady = true
            return false
        }
        unitRoom -= 1
        keep(unit: unit)
        channels[channel]?.owesReady = false
        if open.owesReady { open.sink.receive(.channel(.readyToSend(channel))) }
        return true
    }

    /// Counts the octets that were given back.
    public func consume(_ octets: Int, of channel: ChannelID) { note("consume \(octets)") }

    /// Closes a channel at once.
    public func closeChannel(_ channel: ChannelID, completion: @escaping HostCompletion<Void>) {
        note("closeChannel")
        if let open = channels.removeValue(forKey: channel) {
            open.sink.receive(.channel(.closed(open.info, reason: HostError(.cancelled))))
        }
        completion(.success(()))
    }

    /// Sets how many more units channels take.
    public func setUnitRoom(_ room: Int) { unitRoom = room }

    /// The peer sends a unit on every open channel.
    public func receive(unit: [UInt8]) {
        for (id, open) in channels { open.sink.receive(.channel(.received(id, unit))) }
    }
}
