// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

enum ChannelCalls {
    static func open(
        _ count: Int, _ psm: UInt16, _ options: ChannelOptions, on link: LinkID, _ host: any Host, _ timeout: Duration,
        _ label: String
    ) async throws(BluetoothError) -> [L2CAPChannel] {
        // One end for each channel: the host tells all events of a call to one sink, which sorts them.
        let port = ListenerPort(host)
        let infos: [ChannelInfo] = try await awaitOperation(
            on: host.loop, describe: { "opening a channel to PSM \(psm) on \(label)" },
            abandoned: { infos in
                host.assumeIsolated { host in for info in infos { host.closeChannel(info.id) { _ in } } }
            },
            start: { completion in
                let operation = host.assumeIsolated { host in
                    host.openChannels(count, to: psm, on: link, options: options, for: port, timeout: timeout) {
                        result in
                        if case .success(let infos) = result { for info in infos { port.adopt(info) } }
                        completion(result)
                    }
                }
                return { _ in host.assumeIsolated { $0.cancel(operation) } }
            })
        return infos.compactMap { port.port($0.id).map(L2CAPChannel.init) }
    }

    static func listen(
        _ psm: UInt16?, _ options: ChannelOptions, _ host: any Host
    ) async throws(BluetoothError) -> L2CAPChannels {
        let port = ListenerPort(host)
        let number: UInt16 = try await awaitOperation(
            on: host.loop, describe: { "listening for channels" },
            abandoned: { number in host.assumeIsolated { $0.stopListening(to: number) } },
            start: { completion in
                host.assumeIsolated { $0.listen(to: psm, options: options, for: port, completion: completion) }
                return nil
            })
        return L2CAPChannels(
            psm: number, port: port,
            lease: Lease {
                port.accepted.end()
                host.loop.execute {
                    host.assumeIsolated { $0.stopListening(to: number) }
                    port.refuseWaiting()
                }
            })
    }
}

extension Peripheral {
    /// Opens an L2CAP channel to a PSM of the device, which it tells in its own way.
    ///
    /// - Throws: ``BluetoothError`` with `refused` when nobody listens there, `insufficientSecurity`, `unsupported`.
    public func openChannel(
        psm: UInt16, options: ChannelOptions = ChannelOptions(), timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> L2CAPChannel {
        let channels = try await openChannels(1, psm: psm, options: options, timeout: timeout)
        guard let first = channels.first else { throw BluetoothError(.disconnected, "opening a channel on \(self)") }
        return first
    }

    /// Opens several channels at once (up to five, with `isEnhanced`): as many as the device agrees to.
    ///
    /// - Throws: ``BluetoothError`` as ``openChannel(psm:options:timeout:)`` does.
    public func openChannels(
        _ count: Int, psm: UInt16, options: ChannelOptions, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> [L2CAPChannel] {
        let link = try requireLink("opening a channel")
        return try await ChannelCalls.open(
            count, psm, options, on: link, central.core.host, timeout, record.label)
    }

    /// Opens up to `count` (1 to 5) more ATT bearers, on which reads run in parallel. The link is encrypted for it.
    ///
    /// Reads that were asked for at one time may then end in another order. Everything else goes on in order on the first bearer.
    /// - Returns: The number of bearers besides the first.
    /// - Throws: ``BluetoothError``, with `refused` when the device has none to offer.
    @discardableResult
    public func openParallelBearers(
        _ count: Int = 3, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Int {
        try await onLink(
            { "opening ATT bearers" },
            start: { host, link, completion in
                host.openParallelBearers(count, on: link, timeout: timeout, completion: completion)
            })
    }
}

extension Central {
    /// Takes L2CAP channels that devices open. A nil PSM picks a free one from 0x0080 on.
    ///
    /// - Throws: ``BluetoothError`` with `wrongState` when somebody listens there already, `invalidArgument`, `unsupported`.
    public func listenForChannels(
        psm: UInt16? = nil, options: ChannelOptions = ChannelOptions()
    ) async throws(BluetoothError) -> L2CAPChannels {
        try await ChannelCalls.listen(psm, options, core.host)
    }
}

extension PeripheralServer {
    /// Takes L2CAP channels that centrals open. A nil PSM picks a free one from 0x0080 on.
    ///
    /// - Throws: ``BluetoothError`` with `wrongState` when somebody listens there already, `invalidArgument`, `unsupported`.
    public func listenForChannels(
        psm: UInt16? = nil, options: ChannelOptions = ChannelOptions()
    ) async throws(BluetoothError) -> L2CAPChannels {
        try await ChannelCalls.listen(psm, options, core.host)
    }

    /// Opens an L2CAP channel to a PSM of a connected central.
    ///
    /// - Throws: ``BluetoothError`` as ``Peripheral/openChannel(psm:options:timeout:)`` does.
    public func openChannel(
        to central: RemoteCentral, psm: UInt16, options: ChannelOptions = ChannelOptions(),
        timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> L2CAPChannel {
        let channels = try await ChannelCalls.open(
            1, psm, options, on: central.link, core.host, timeout, "\(central.id)")
        guard let first = channels.first else {
            throw BluetoothError(.disconnected, "opening a channel to \(central.id)")
        }
        return first
    }
}
