// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The running scans, and what the controller was told.
struct Scanner {
    struct Scan {
        var parameters: ScanParameters
        var completion: HostCompletion<ScanID>?
    }

    /// What the controller does, or is being told to do.
    struct Setting: Hashable {
        var isActive: Bool
        var interval: UInt16
        var window: UInt16
        var phys = HCI.PHYMask.le1M
    }

    var scans: [UInt8: Scan] = [:]
    /// All scans, and those that want every advertisement, as bits.
    var all: UInt64 = 0
    var wantsDuplicates: UInt64 = 0
    var current: Setting?
    var isBusy = false
    /// Scanning rests while a connection is being made: this controller cannot do both.
    var isPaused = false
    var nextNumber: UInt8 = 0
    /// Somebody looks for a periodic advertiser.
    var seeksPeriodic = false
    /// Where that one is looked for.
    var seekPHYs = HCI.PHYMask.le1M
    /// Long advertisements of which more is to come.
    var assembler = ReportAssembler()

    /// What all scans together need; nil without any.
    var wanted: Setting? {
        guard !isPaused else { return nil }
        guard !scans.isEmpty else {
            // 60 ms all the time.
            return seeksPeriodic ? Setting(isActive: false, interval: 96, window: 96, phys: seekPHYs) : nil
        }
        var setting = Setting(isActive: false, interval: .max, window: 4, phys: seeksPeriodic ? seekPHYs : [])
        var duty = 0.0
        for scan in scans.values {
            let interval = HCI.advertisingUnits(scan.parameters.interval)
            let window = min(HCI.advertisingUnits(scan.parameters.window), interval)
            setting.isActive = setting.isActive || scan.parameters.isActive
            setting.phys.formUnion(scan.parameters.phys)
            setting.interval = min(setting.interval, interval)
            duty = max(duty, Double(window) / Double(interval))
        }
        setting.window = max(4, min(setting.interval, UInt16(duty * Double(setting.interval))))
        return setting
    }
}

extension HCI {
    /// Units of 0.625 ms, held within 4 to 16,384: 2.5 ms to 10.24 s.
    static func advertisingUnits(_ duration: Duration) -> UInt16 {
        UInt16(max(4, min(16_384, duration.wholeNanoseconds / 625_000)))
    }
}

extension StackEngine {
    /// Starts a scan; see `Host/startScan(_:completion:)`.
    public func startScan(
        _ parameters: ScanParameters, now: MonotonicTime, completion: @escaping HostCompletion<ScanID>
    ) {
        self.now = now
        if let error = unavailable("scan") { return completion(.failure(error)) }
        guard parameters.window <= parameters.interval, parameters.window >= .microseconds(2_500),
            parameters.interval <= .milliseconds(10_240)
        else {
            return completion(
                .failure(HostError(.invalidArgument, "scan", detail: "interval and window go from 2.5 ms to 10.24 s")))
        }
        guard !parameters.phys.isEmpty, parameters.phys.isSubset(of: [.le1M, .leCoded]) else {
            return completion(
                .failure(HostError(.invalidArgument, "scan", detail: "one scans on LE 1M, LE Coded or both")))
        }
        guard parameters.phys == .le1M || startup.isExtended && startup.features.contains(.leCoded) else {
            return completion(.failure(HostError(.unsupported, "scan", detail: "this controller has no LE Coded")))
        }
        guard let number = freeScanNumber() else {
            return completion(.failure(HostError(.queueFull, "scan", detail: "64 scans are running")))
        }
        let bit: UInt64 = 1 << UInt64(number)
        advertisers.forget(scan: bit)
        scanner.scans[number] = Scanner.Scan(parameters: parameters, completion: completion)
        scanner.all |= bit
        if parameters.reportsDuplicates { scanner.wantsDuplicates |= bit }
        updateScanning()
    }

    /// Stops a scan. Does nothing when it has ended.
    public func stopScan(_ scan: ScanID, now: MonotonicTime) {
        self.now = now
        removeScan(scan.rawValue)?.completion?(.failure(HostError(.cancelled, "scan")))
        updateScanning()
    }

    /// Peers that were heard or connected, newest last.
    public var knownPeers: [KnownPeer] {
        var peers = advertisers.entries.filter { $0.address.kind != .anonymous }.map { entry in
            (entry.time, KnownPeer(peer: entry.peer, address: entry.identity ?? entry.address, name: name(of: entry)))
        }
        for link in allLinks where advertisers.index(of: link.address) == nil {
            peers.append(
                (.distantFuture, KnownPeer(peer: link.peer, address: link.identity ?? link.address, name: nil)))
        }
        peers.sort { $0.0 < $1.0 }
        if startup.isExtended {
            // A device may send several sets: the newest counts, a name from any.
            var names: [PeerID: String] = [:]
            var last: [PeerID: Int] = [:]
            for (index, peer) in peers.enumerated() {
                names[peer.1.peer] = peer.1.name ?? names[peer.1.peer]
                last[peer.1.peer] = index
            }
            peers = peers.enumerated().compactMap { index, peer in
                guard last[peer.1.peer] == index else { return nil }
                var known = peer.1
                known.name = names[known.peer]
                return (peer.0, known)
            }
        }
        return peers.suffix(16_384).map(\.1)
    }

    // MARK: - reports

    func receiveAdvertisingReports(_ parameters: RawSpan) {
        var reports = HCI.AdvertisingReports(parameters)
        while let report = reports.next() {
            let isConnectable: Bool
            switch report.type {
            case .scanResponse, .scannable, .nonConnectable: isConnectable = false
            case .connectable, .directed: isConnectable = true
            default: continue
            }
            let heard = AdvertiserTable.Heard(
                key: AdvertiserTable.key(report.address), rssi: report.rssi, isConnectable: isConnectable)
            merge(
                parameters.extracting(report.data), heard, isResponse: report.type == .scanResponse, report.address)
        }
    }

    func receiveExtendedAdvertisingReports(_ parameters: RawSpan) {
        var reports = HCI.ExtendedAdvertisingReports(parameters)
        while let report = reports.next() {
            let isLegacy = report.type.contains(.legacy)
            let isResponse = report.type.contains(.scanResponse)
            var heard = AdvertiserTable.Heard(
                key: AdvertiserTable.key(report.address, set: isLegacy || report.sid > 15 ? 0xFF : report.sid),
                rssi: report.rssi, isConnectable: report.type.contains(.connectable))
            if !isLegacy {
                heard.traits = AdvertiserTable.Traits(
                    primaryPHY: report.primaryPHY, secondaryPHY: report.secondaryPHY, setID: report.sid,
                    txPower: report.txPower, periodicInterval: report.periodicInterval, isTruncated: false)
            }
            let data = parameters.extracting(report.data)
            if report.type.dataStatus == .complete, scanner.assembler.isEmpty {
                merge(data, heard, isResponse: isResponse, report.address)
            } else {
                // No kind of address uses the eighth bit, but anonymous ones, and those answer no scan request.
                let key = heard.key ^ (isResponse ? 1 << 55 : 0)
                guard let whole = scanner.assembler.add(data, report.type.dataStatus, key: key, now: now) else {
                    continue
                }
                heard.traits?.isTruncated = whole.isTruncated
                merge(whole.data.span.bytes, heard, isResponse: isResponse, report.address)
            }
        }
    }

    /// Takes what one device said into the table and tells of it.
    @inline(__always)
    private func merge(
        _ data: RawSpan, _ heard: AdvertiserTable.Heard, isResponse: Bool, _ address: DeviceAddress
    ) {
        let index: Int
        if isResponse {
            guard let known = advertisers.merge(response: data, heard, now: now) else { return }
            index = known
        } else {
            index = advertisers.merge(advertisement: data, heard, now: now)
        }
        if !advertisers.entries[index].isIdentified { identify(index) }
        if let identity = advertisers.entries[index].identity { self.heard(identity, at: address) }
        if scanner.all != 0 { tell(index) }
    }

    /// Tells those scans that want it of an entry that was just heard.
    private func tell(_ index: Int) {
        let unjudged = scanner.all & ~advertisers.entries[index].judged
        if unjudged != 0 { judge(index, unjudged) }
        let reported = advertisers.entries[index].reported
        let scans = scanner.all & advertisers.entries[index].passed & (scanner.wantsDuplicates | ~reported)
        guard scans != 0 else { return }
        if scans & ~reported != 0 { advertisers.setReported(index, scans) }
        emit(.advertisement(advertisers.entries[index].advertisement, scans: ScanSet(rawValue: scans)))
    }

    private func judge(_ index: Int, _ scans: UInt64) {
        var passed: UInt64 = 0
        for (number, scan) in scanner.scans where scans & (1 << UInt64(number)) != 0 {
            let services = scan.parameters.services
            if services.isEmpty || services.contains(where: { advertisers.entries[index].lists($0) }) {
                passed |= 1 << UInt64(number)
            }
        }
        advertisers.setJudged(index, scans, passed: passed)
    }

    func name(of entry: AdvertiserTable.Entry) -> String? {
        AdvertiserTable.Entry.name(in: entry.data) ?? entry.response.flatMap(AdvertiserTable.Entry.name)
    }

    // MARK: - the controller

    private func freeScanNumber() -> UInt8? {
        for step in UInt8(0)..<64 {
            let number = (scanner.nextNumber &+ step) & 63
            if scanner.scans[number] == nil {
                scanner.nextNumber = (number &+ 1) & 63
                return number
            }
        }
        return nil
    }

    private func removeScan(_ number: UInt8) -> Scanner.Scan? {
        let bit: UInt64 = 1 << UInt64(number)
        scanner.all &= ~bit
        scanner.wantsDuplicates &= ~bit
        return scanner.scans.removeValue(forKey: number)
    }

    /// Brings the controller to what the scans need, one step at a time.
    func updateScanning() {
        guard !scanner.isBusy, state == .poweredOn else { return }
        let wanted = scanner.wanted
        if scanner.current != nil, scanner.current != wanted {
            scanner.isBusy = true
            enableScanning(false) { [self] _ in
                scanner.current = nil
                scanner.isBusy = false
                updateScanning()
            }
        } else if let wanted, scanner.current == nil {
            scanner.isBusy = true
            setScanParameters(wanted) { [self] result in
                if case .failure(let error) = result { return scanFailed(error) }
                scanner.assembler.removeAll()
                enableScanning(true) { [self] result in
                    if case .failure(let error) = result { return scanFailed(error) }
                    scanner.isBusy = false
                    scanner.current = wanted
                    confirmScans()
                    updateScanning()
                }
            }
        } else if scanner.current != nil {
            confirmScans()
        }
    }

    func enableScanning(_ enable: Bool, _ done: @escaping (Result<HCIEmpty, HostError>) -> Void) {
        if startup.isExtended {
            command(HCI.LESetExtendedScanEnable(enable: enable, filterDuplicates: 0, duration: 0, period: 0), done)
        } else {
            command(HCI.LESetScanEnable(enable: enable, filterDuplicates: false), done)
        }
    }

    private func setScanParameters(
        _ setting: Scanner.Setting, _ done: @escaping (Result<HCIEmpty, HostError>) -> Void
    ) {
        let type: HCI.ScanType = setting.isActive ? .active : .passive
        if startup.isExtended {
            let count = setting.phys.rawValue.nonzeroBitCount
            command(
                HCI.LESetExtendedScanParameters(
                    ownAddressType: startup.ownAddressType, filterPolicy: 0, phys: setting.phys,
                    // Two modes share the time.
                    parameters: Array(
                        repeating: .init(
                            type: type, interval: setting.interval,
                            window: max(4, min(setting.window, setting.interval / UInt16(count)))),
                        count: count)), done)
        } else {
            command(
                HCI.LESetScanParameters(
                    type: type, interval: setting.interval, window: setting.window,
                    ownAddressType: startup.ownAddressType, filterPolicy: 0), done)
        }
    }

    private func confirmScans() {
        for number in scanner.scans.keys.sorted() {
            guard let completion = scanner.scans[number]?.completion else { continue }
            scanner.scans[number]?.completion = nil
            completion(.success(ScanID(rawValue: number)))
        }
    }

    private func scanFailed(_ error: HostError) {
        scanner.isBusy = false
        endScans(error)
    }

    /// Ends all scans with one reason.
    func endScans(_ error: HostError) {
        let scans = scanner.scans.sorted { $0.key < $1.key }
        let (seeks, phys) = (scanner.seeksPeriodic, scanner.seekPHYs)
        scanner = Scanner()
        scanner.seeksPeriodic = seeks
        scanner.seekPHYs = phys
        for (number, scan) in scans {
            if let completion = scan.completion {
                completion(.failure(error.during("scan")))
            } else {
                emit(.scanEnded(ScanID(rawValue: number), error.during("scan")))
            }
        }
    }

    /// The error of a call that needs an adapter that is on.
    func unavailable(_ operation: @autoclosure () -> String) -> HostError? {
        state == .poweredOn ? nil : HostError(.poweredOff, operation(), detail: "the adapter is not started")
    }
}
