// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
public import CeruleanHost
public import CeruleanWire
import CoreBluetooth
import Foundation

/// One scan of the host; Apple's manager has one for all of them.
struct AppleScan {
    var parameters: ScanParameters
    /// What was reported of each device.
    var seen: [PeerID: Int] = [:]

    static let maximumSeen = 16_384
}

/// A link.
///
/// `@unchecked Sendable` since the host alone, on its loop, looks into it.
final class AppleLink: @unchecked Sendable {
    let id: LinkID
    let peer: PeerID
    /// Of a link that we made.
    let peripheral: CBPeripheral?
    /// Of a link that a central made.
    let central: CBCentral?
    var users = 0
    var isLeaving = false
    var leavers: [HostCompletion<Void>] = []
    /// What was found, both ways.
    var attributes: [UInt64: CBAttribute] = [:]
    var identifiers: [ObjectIdentifier: AttributeID] = [:]
    /// Who waits for Apple's answers, in the order of the calls. Those who gave up are still in it: their answer is to
    /// come.
    var expected: [AppleHost.Slot: [@Sendable (isolated AppleHost, Result<[UInt8], HostError>) -> Void]] = [:]
    var writes: [(operation: Operation<Void>, value: Data, characteristic: CBCharacteristic)] = []
    /// Of a central: what it is subscribed to.
    var subscriptions: Set<ObjectIdentifier> = []

    init(_ id: LinkID, _ peer: PeerID, peripheral: CBPeripheral? = nil, central: CBCentral? = nil) {
        self.id = id
        self.peer = peer
        self.peripheral = peripheral
        self.central = central
    }

    var info: LinkInfo {
        let length = peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? central?.maximumUpdateValueLength
        return LinkInfo(
            id: id, peer: peer, address: nil, role: peripheral == nil ? .peripheral : .central,
            mtu: min(max(length ?? 20, 20) + 3, 517))
    }
}

extension AppleHost {
    /// The peers that are remembered; above it the one seen first is forgotten.
    private static var maximumPeers: Int { 16_384 }

    // MARK: Finding peers

    /// See `Host`.
    public func startScan(_ parameters: ScanParameters, completion: @escaping HostCompletion<ScanID>) {
        guard state == .poweredOn else { return completion(.failure(HostError(.poweredOff, "scan"))) }
        guard let number = (UInt8(0)..<64).first(where: { scans[$0] == nil }) else {
            return completion(.failure(HostError(.queueFull, "scan", detail: "64 scans are running")))
        }
        scans[number] = AppleScan(parameters: parameters)
        updateScan()
        later { completion(.success(ScanID(rawValue: number))) }
    }

    /// See `Host`.
    public func stopScan(_ scan: ScanID) {
        scans[scan.rawValue] = nil
        updateScan()
    }

    /// Apple's one scan: what all of ours want together.
    private func updateScan() {
        guard state == .poweredOn else { return }
        guard !scans.isEmpty else { return central?.stopScan() ?? () }
        let all = scans.values.contains { $0.parameters.services.isEmpty }
        let wanted = Set(scans.values.flatMap(\.parameters.services)).sorted()
        // Duplicates are told apart here: the first report of a new scan may be a later one of Apple's.
        central?.scanForPeripherals(
            withServices: all ? nil : wanted.map(\.apple),
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
    }

    func discovered(_ peripheral: CBPeripheral, _ facts: AdvertisementFacts) {
        let peer = remember(peripheral)
        var told: UInt64 = 0
        for (number, scan) in scans {
            let services = scan.parameters.services
            guard services.isEmpty || facts.fields.services.contains(where: { services.contains($0) }) else { continue }
            let content = facts.fields.hashValue
            guard scan.parameters.reportsDuplicates || scan.seen[peer] != content else { continue }
            if scan.seen.count >= AppleScan.maximumSeen { scans[number]?.seen = [:] }
            scans[number]?.seen[peer] = content
            told |= 1 << UInt64(number)
        }
        guard told != 0 else { return }
        emit(
            .advertisement(
                Advertisement(
                    peer: peer, address: nil, rssi: facts.rssi, isConnectable: facts.isConnectable, time: loop.now,
                    raw: nil, reported: facts.fields), scans: ScanSet(rawValue: told)))
    }

    private func remember(_ peripheral: CBPeripheral) -> PeerID {
        let peer = PeerID(peripheral.identifier)
        if peripherals.updateValue(peripheral, forKey: peer) == nil {
            seen.append(peer)
            if seen.count > Self.maximumPeers {
                let oldest = seen.removeFirst()
                if link(to: oldest) == nil, wishes[oldest] == nil { peripherals[oldest] = nil }
            }
        }
        return peer
    }

    /// Nil: there are no addresses.
    public func peer(at address: DeviceAddress) -> PeerID? { nil }

    /// See `Host`.
    public var knownPeers: [KnownPeer] {
        seen.compactMap { peer in
            peripherals[peer].map { KnownPeer(peer: peer, address: nil, name: $0.name) }
        }
    }

    // MARK: Links

    /// See `Host`.
    public var links: [LinkInfo] {
        linkTable.values.sorted { $0.id.rawValue < $1.id.rawValue }.map(\.info)
    }

    private func link(to peer: PeerID) -> AppleLink? {
        linkTable.values.first { $0.peer == peer && $0.peripheral != nil }
    }

    func link(of peripheral: CBPeripheral) -> AppleLink? { link(to: PeerID(peripheral.identifier)) }

    private func peripheral(_ peer: PeerID) -> CBPeripheral? {
        if let known = peripherals[peer] { return known }
        let octets = Array(peer.uuid.littleEndian128.reversed())
        let identifier = UUID(
            uuid: (
                octets[0], octets[1], octets[2], octets[3], octets[4], octets[5], octets[6], octets[7], octets[8],
                octets[9], octets[10], octets[11], octets[12], octets[13], octets[14], octets[15]
            ))
        guard let found = central?.retrievePeripherals(withIdentifiers: [identifier]).first else { return nil }
        _ = remember(found)
        return found
    }

    /// See `Host`. Connection parameters cannot be chosen.
    public func connect(
        _ peer: PeerID, options: ConnectOptions, timeout: Duration, completion: @escaping HostCompletion<LinkInfo>
    ) -> OperationID {
        let text = "connect to \(peer)"
        guard state == .poweredOn else { return refuse(HostError(.poweredOff), text, completion) }
        guard options.parameters == nil, options.phys == nil else {
            return refuse(
                HostError(.unsupported, detail: "Apple's framework chooses connection parameters and PHY"), text,
                completion)
        }
        guard let peripheral = peripheral(peer) else { return refuse(HostError(.notFound), text, completion) }
        let operation = begin(text, nil, timeout, completion)
        if let link = link(to: peer), !link.isLeaving {
            link.users += 1
            let info = link.info
            later { [weak self] in self?.assumeIsolated { $0.finish(operation, .success(info)) } }
            return operation.id
        }
        wishes[peer, default: []].append(operation)
        if link(to: peer) == nil { central?.connect(peripheral, options: nil) }
        return operation.id
    }

    /// Whoever waited for a connection does not any more.
    func gaveUp(_ operation: OperationID) {
        for (peer, waiters) in wishes where waiters.contains(where: { $0.id == operation }) {
            let rest = waiters.filter { $0.id != operation }
            wishes[peer] = rest.isEmpty ? nil : rest
            if rest.isEmpty, link(to: peer) == nil, let peripheral = peripherals[peer] {
                central?.cancelPeripheralConnection(peripheral)
            }
        }
    }

    func connected(_ peripheral: CBPeripheral) {
        let peer = remember(peripheral)
        guard link(to: peer) == nil else { return }
        guard let waiters = wishes.removeValue(forKey: peer) else {
            return central?.cancelPeripheralConnection(peripheral) ?? ()
        }
        peripheral.delegate = delegate
        let link = AppleLink(LinkID(rawValue: number()), peer, peripheral: peripheral)
        link.users = waiters.count
        linkTable[link.id] = link
        emit(.linkOpened(link.info))
        for waiter in waiters { finish(waiter, .success(link.info)) }
    }

    func failedToConnect(_ peripheral: CBPeripheral, _ error: HostError) {
        for waiter in wishes.removeValue(forKey: PeerID(peripheral.identifier)) ?? [] {
            finish(waiter, .failure(error))
        }
    }

    func disconnected(_ peripheral: CBPeripheral, _ error: HostError) {
        guard let link = link(of: peripheral) else { return }
        closed(link, error)
        // Somebody wants it again already.
        if wishes[link.peer] != nil { central?.connect(peripheral, options: nil) }
    }

    /// Its operations end first, all with one reason.
    func closed(_ link: AppleLink, _ error: HostError) {
        guard linkTable.removeValue(forKey: link.id) != nil else { return }
        link.expected = [:]
        link.writes = []
        for operation in operations.values.filter({ $0.link == link.id }).sorted(by: { $0.id.rawValue < $1.id.rawValue }
        ) {
            end(operation, error)
        }
        emit(.linkClosed(link.info, reason: error))
        let leavers = link.leavers
        link.leavers = []
        for leaver in leavers { leaver(.success(())) }
    }

    func drop(_ link: AppleLink) {
        guard let peripheral = link.peripheral else { return }
        link.isLeaving = true
        central?.cancelPeripheralConnection(peripheral)
    }

    /// See `Host`. A central that connected to us cannot be sent away.
    public func disconnect(_ link: LinkID, force: Bool, completion: @escaping HostCompletion<Void>) {
        guard let link = linkTable[link] else { return later { completion(.success(())) } }
        guard link.peripheral != nil else {
            guard force else { return later { completion(.success(())) } }
            return completion(
                .failure(HostError(.unsupported, "disconnection", detail: "Apple's framework keeps centrals")))
        }
        link.users = max(0, link.users - 1)
        guard force || link.users == 0 else { return later { completion(.success(())) } }
        link.leavers.append(completion)
        if !link.isLeaving { drop(link) }
    }

    /// Ends with `unsupported`.
    public func requestParameters(
        _ request: ConnectionParameterRequest, on link: LinkID, timeout: Duration,
        completion: @escaping HostCompletion<ConnectionParameters>
    ) -> OperationID {
        refuse(
            HostError(.unsupported, detail: "Apple's framework chooses connection parameters"),
            "change of connection parameters", completion)
    }

    /// See `Host`.
    public func readRSSI(
        _ link: LinkID, timeout: Duration, completion: @escaping HostCompletion<Int>
    ) -> OperationID {
        guard let (link, peripheral) = open(link) else {
            return refuse(HostError(.disconnected), "read of the signal strength", completion)
        }
        let operation = begin("read of the signal strength", link.id, timeout, completion)
        expect(.strength, link, peripheral, operation) { _, octets in
            .success(Int(Int8(bitPattern: octets.first ?? 0)))
        }
        peripheral.readRSSI()
        return operation.id
    }

    func measured(_ peripheral: CBPeripheral, _ result: Result<Int, HostError>) {
        answer(.strength, peripheral, peripheral, result.map { [UInt8(bitPattern: Int8(clamping: $0))] })
    }
}
#endif
