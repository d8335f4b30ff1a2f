// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

// Radio mode and packet length of links. Core 5.4, Vol 4, Part E, 7.8.33 and 7.8.49.
extension StackEngine {
    /// Asks for other radio modes; see `Host/setPHY(_:on:timeout:completion:)`.
    public func setPHY(
        _ request: PHYRequest, on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<LinkPHY>
    ) -> OperationID {
        self.now = now
        let text = "change of the radio mode"
        guard let link = open(id, text, completion) else { return reserveOperation() }
        func refuse(_ error: HostError) -> OperationID {
            completion(.failure(error.during(text)))
            return reserveOperation()
        }
        let wanted = request.transmit.union(request.receive)
        guard wanted.isSubset(of: [.le1M, .le2M, .leCoded]) else {
            return refuse(HostError(.invalidArgument, detail: "the modes are LE 1M, LE 2M and LE Coded"))
        }
        for (mask, phy) in [(HCI.PHYMask.le2M, HCI.PHY.le2M), (.leCoded, .leCoded)]
        where wanted.contains(mask) && !startup.features.has(phy) {
            return refuse(HostError(.unsupported, detail: "this controller has no \(phy)"))
        }
        guard startup.supports(.leSetPHY) else {
            return refuse(HostError(.unsupported, detail: "this controller cannot change the mode"))
        }
        guard link.phyRequest == nil else {
            return refuse(HostError(.wrongState, detail: "another change is under way"))
        }
        let operation = begin(deadline: deadline(timeout), link: id) { error in
            link.phyRequest = nil
            completion(.failure(error.during("\(text) of \(link.address)")))
        }
        link.phyRequest = Link.PHYChange(operation: operation, completion: completion)
        let none: UInt8 = (request.transmit.isEmpty ? 1 : 0) | (request.receive.isEmpty ? 2 : 0)
        let coding: UInt16 =
            switch request.coding {
            case .automatic: 0
            case .s2: 1
            case .s8: 2
            }
        command(
            HCI.LESetPHY(
                handle: link.handle, noPreference: none, txPHYs: request.transmit, rxPHYs: request.receive,
                options: coding)
        ) { [self] result in
            if case .failure(let error) = result { end(operation, error) }
        }
        return operation
    }

    /// Comes after each LE Set PHY, and when the peer changed the mode.
    func phyUpdateComplete(_ event: HCI.LEPHYUpdateComplete) {
        guard Int(event.handle) < links.count, let link = links[Int(event.handle)] else { return }
        let request = link.phyRequest
        let old = link.phy
        if event.status == .success {
            link.phy = LinkPHY(transmit: event.txPHY, receive: event.rxPHY)
            if link.phy != old { linkUpdated(link) }
        }
        guard let request else { return }
        link.phyRequest = nil
        if event.status != .success {
            end(
                request.operation,
                HostError(.refused, controller: event.status.rawValue, detail: "\(event.status)"))
        } else if let phy = link.phy, finish(request.operation) {
            request.completion(.success(phy))
        }
    }

    /// Asks for longer or shorter packets; see `Host/setDataLength(_:on:timeout:completion:)`.
    public func setDataLength(
        _ octets: Int, on id: LinkID, timeout: Duration, now: MonotonicTime, completion: @escaping HostCompletion<Void>
    ) -> OperationID {
        self.now = now
        let text = "change of the packet length"
        guard let link = open(id, text, completion) else { return reserveOperation() }
        guard (27...251).contains(octets) else {
            completion(.failure(HostError(.invalidArgument, text, detail: "packets hold 27 to 251 octets")))
            return reserveOperation()
        }
        guard startup.features.contains(.dataLengthExtension) else {
            completion(
                .failure(HostError(.unsupported, text, detail: "this controller sends packets of 27 octets")))
            return reserveOperation()
        }
        let operation = begin(deadline: deadline(timeout), link: id) { error in
            completion(.failure(error.during("\(text) of \(link.address)")))
        }
        command(
            HCI.LESetDataLength(
                handle: link.handle, octets: UInt16(octets), time: dataTime(octets: octets))
        ) { [self] result in
            switch result {
            case .failure(let error): end(operation, error)
            case .success: if finish(operation) { completion(.success(())) }
            }
        }
        return operation
    }

    /// A link of extended advertising begins in the mode of that advertisement, others on LE 1M.
    func readPHY(of link: Link) {
        link.phy = LinkPHY(transmit: .le1M, receive: .le1M)
        guard startup.isExtended, startup.supports(.leReadPHY) else { return }
        command(HCI.LEReadPHY(handle: link.handle)) { [self] result in
            guard case .success(let now) = result, link.phase == .open else { return }
            let phy = LinkPHY(transmit: now.txPHY, receive: now.rxPHY)
            guard phy != link.phy else { return }
            link.phy = phy
            linkUpdated(link)
        }
    }

    func dataLengthChanged(_ event: HCI.LEDataLengthChange) {
        guard Int(event.handle) < links.count, let link = links[Int(event.handle)] else { return }
        let range = 27...251
        guard range.contains(Int(event.maximumTXOctets)), range.contains(Int(event.maximumRXOctets)) else {
            counters.malformedEvents &+= 1
            return
        }
        let new = LinkDataLength(transmit: Int(event.maximumTXOctets), receive: Int(event.maximumRXOctets))
        guard new != link.dataLength else { return }
        link.dataLength = new
        linkUpdated(link)
    }

    /// Microseconds that a packet takes at most: on LE Coded with eight symbols where the controller has that, else on LE 1M.
    /// Core 5.4, Vol 6, Part B, 4.5.10.
    func dataTime(octets: Int) -> UInt16 {
        UInt16(clamping: startup.features.contains(.leCoded) ? octets * 64 + 976 : (octets + 14) * 8)
    }
}
