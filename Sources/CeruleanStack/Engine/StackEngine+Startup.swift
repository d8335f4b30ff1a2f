// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// What is known of the controller, and how far its start-up has come.
struct Startup {
    enum Step: Int {
        case reset, supportedCommands, version, address, leFeatures, eventMask, leEventMask, leHostSupport, leBufferSize
        case bufferSize, advertisingSets, advertisingDataLength, dataLength, resolvingList, randomAddress, done
    }

    var step: Step?
    var deadline = MonotonicTime.distantFuture
    var completion: HostCompletion<Void>?
    /// Nil when the controller cannot say; then everything is tried.
    var supported: HCI.SupportedCommands?
    var version = HCI.Version(rawValue: 0)
    var identification = HCI.ReadLocalVersionInformation.ReturnParameters()
    var publicAddress: BluetoothAddress?
    var features = HCI.LEFeatures(rawValue: 0)
    var ownAddressType = HCI.OwnAddressType.public
    /// Advertising, scanning and connecting go by extended commands: a controller takes only one kind between two resets.
    /// Core 5.4, Vol 4, Part E, 3.1.1.
    var isExtended = false
    /// Advertisements at a time, and octets in each.
    var advertisingSets = 1
    var advertisingDataLength = 31
    /// Keys that the controller can resolve addresses with.
    var resolvingListSize = 0

    func supports(_ opcode: HCI.Opcode) -> Bool { supported?.contains(opcode) ?? true }
}

extension StackEngine {
    /// Resets the controller and sets it up. Ends when the state is `poweredOn` or cannot become so.
    ///
    /// The completion gets `adapterFailed` when the controller does not answer or answers nonsense, `unsupported` when it has
    /// no LE, `timedOut`, `wrongState` when a start is running or everything is being ended.
    public func start(now: MonotonicTime, timeout: Duration, completion: @escaping HostCompletion<Void>) {
        self.now = now
        guard startup.step == nil else {
            return completion(.failure(HostError(.wrongState, "start", detail: "the adapter is being started")))
        }
        guard !isEnding else {
            return completion(.failure(HostError(.wrongState, "start", detail: "the adapter is being stopped")))
        }
        guard state != .poweredOn else { return completion(.success(())) }
        _ = commands.reset()
        startup = Startup()
        startup.completion = completion
        startup.deadline = deadline(timeout)
        arm(startup.deadline)
        framer.reset()
        deferredInput.removeAll()
        takesInput = true
        setState(.unknown)
        begin(.reset)
    }

    /// Ends everything with `error` (`poweredOff` unless said otherwise); nothing is sent or taken any more.
    public func shutDown(now: MonotonicTime, error: HostError = HostError(.poweredOff)) {
        self.now = now
        takesInput = false
        endEverything(error, .poweredOff)
    }

    /// Ends all calls and links once, then resets the controller if that may help. Security H9, H19.
    func adapterFailed(_ error: HostError, recovers: Bool) {
        counters.resets &+= 1
        guard recovers, startup.step == nil, takesInput else {
            takesInput = false
            return endEverything(error, .poweredOff)
        }
        setState(.resetting)
        endEverything(error, .resetting)
        // Somebody who was told may have stopped the adapter.
        guard takesInput, state == .resetting else { return }
        startup.step = nil
        startup.deadline = deadline(.seconds(10))
        arm(startup.deadline)
        begin(.reset)
    }

    /// The stream has lost its frame, or the transport broke. Security H1.
    func transportFailed(_ error: HostError) {
        takesInput = false
        deferredInput.removeAll()
        adapterFailed(error, recovers: false)
        onTransportFailure(error)
    }

    // MARK: - private

    private func begin(_ step: Startup.Step) {
        startup.step = step
        switch step {
        case .reset: command(HCI.Reset()) { self.must($0, then: .supportedCommands) { _ in } }
        case .supportedCommands:
            command(HCI.ReadLocalSupportedCommands()) {
                self.may($0, then: .version) { self.startup.supported = $0.commands }
            }
        case .version:
            command(HCI.ReadLocalVersionInformation()) {
                self.may($0, then: .address) {
                    self.startup.version = $0.hciVersion
                    self.startup.identification = $0
                }
            }
        case .address:
            command(HCI.ReadBDADDR()) {
                self.may($0, then: .leFeatures) {
                    self.startup.publicAddress = $0.address == .zero ? nil : $0.address
                }
            }
        case .leFeatures:
            command(HCI.LEReadLocalSupportedFeatures()) {
                self.may($0, then: .eventMask) { self.takeFeatures($0.features) }
            }
        case .eventMask:
            command(HCI.SetEventMask(mask: .leHost)) { self.may($0, then: .leEventMask) { _ in } }
        case .leEventMask:
            let mask = HCI.LEEventMask(leEvents)
            command(HCI.LESetEventMask(mask: mask)) { self.may($0, then: .leHostSupport) { _ in } }
        case .leHostSupport:
            // Only controllers of two kinds have it.
            guard let supported = startup.supported, supported.contains(.writeLEHostSupport) else {
                return begin(.leBufferSize)
            }
            command(HCI.WriteLEHostSupport()) { self.may($0, then: .leBufferSize) { _ in } }
        case .leBufferSize:
            command(HCI.LEReadBufferSize()) { result in
                self.may(result, then: self.isPool(result) ? .advertisingSets : .bufferSize) {
                    self.setPool($0.aclLength, UInt16($0.aclCount))
                }
            }
        case .bufferSize:
            // Security H11: the LE pool is that of BR/EDR when it is empty.
            command(HCI.ReadBufferSize()) {
                self.must($0, then: .advertisingSets) { self.setPool($0.aclLength, $0.aclCount) }
            }
        case .advertisingSets:
            guard startup.isExtended else { return begin(.dataLength) }
            command(HCI.LEReadNumberOfSupportedAdvertisingSets()) {
                self.may($0, then: .advertisingDataLength) { self.startup.advertisingSets = max(1, Int($0.count)) }
            }
        case .advertisingDataLength:
            command(HCI.LEReadMaximumAdvertisingDataLength()) {
                self.may($0, then: .dataLength) {
                    self.startup.advertisingDataLength = min(max(31, Int($0.length)), ReportAssembler.limit)
                }
            }
        case .dataLength:
            // Links begin with the longest packets that both ends can; controllers without it do not know the command.
            guard startup.features.contains(.dataLengthExtension) else { return begin(.resolvingList) }
            command(HCI.LEWriteSuggestedDefaultDataLength(octets: 251, time: dataTime(octets: 251))) {
                self.may($0, then: .resolvingList) { _ in }
            }
        case .resolvingList:
            guard configuration.usesResolvingList, startup.features.contains(.privacy),
                startup.supports(.leAddDeviceToResolvingList), startup.supports(.leSetAddressResolutionEnable)
            else { return begin(.randomAddress) }
            command(HCI.LEReadResolvingListSize()) {
                self.may($0, then: .randomAddress) { self.startup.resolvingListSize = Int($0.size) }
            }
        case .randomAddress: setOwnAddress()
        case .done: started()
        }
    }

    /// What links and advertising are told with. Events of features that the controller lacks are left out: some refuse bits
    /// that they do not know.
    private var leEvents: [HCI.LESubevent] {
        // The link layer answers parameter requests of peers itself; those over L2CAP are answered here.
        var events: [HCI.LESubevent] = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
            .longTermKeyRequest, .dataLengthChange,
        ]
        let features = startup.features
        if features.contains(.privacy) || startup.isExtended { events.append(.enhancedConnectionComplete) }
        if !features.isDisjoint(with: [.le2M, .leCoded]) { events.append(.phyUpdateComplete) }
        if startup.isExtended { events += [.extendedAdvertisingReport, .advertisingSetTerminated] }
        if startup.isExtended, features.contains(.periodicAdvertising) {
            events += [
                .periodicAdvertisingSyncEstablished, .periodicAdvertisingReport, .periodicAdvertisingSyncLost,
            ]
        }
        return events
    }

    private func takeFeatures(_ features: HCI.LEFeatures) {
        startup.features = features
        startup.isExtended =
            configuration.usesExtendedAdvertising && features.contains(.extendedAdvertising)
            && startup.supports(.leSetExtendedAdvertisingParameters) && startup.supports(.leSetExtendedScanParameters)
            && startup.supports(.leExtendedCreateConnection)
    }

    private func isPool(_ result: Result<HCI.LEReadBufferSize.ReturnParameters, HostError>) -> Bool {
        guard case .success(let size) = result else { return false }
        return size.aclLength > 0 && size.aclCount > 0
    }

    private func setPool(_ length: UInt16, _ count: UInt16) {
        aclLength = Int(length)
        aclTotal = Int(count)
        aclFree = aclTotal
    }

    private func setOwnAddress() {
        guard aclTotal > 0, aclLength >= 4 else {
            return startFailed(
                HostError(.adapterFailed, detail: "the controller has no buffers (\(aclTotal) of \(aclLength) octets)"))
        }
        let random: BluetoothAddress
        switch configuration.address {
        case .public, .automatic:
            if let address = startup.publicAddress {
                localAddress = DeviceAddress(address, .public)
                return show(nil)
            }
            if configuration.address == .public {
                return startFailed(HostError(.unsupported, detail: "the controller has no public address"))
            }
            // Bonded peers know us by the address that we had before.
            let known = security.database.adapterAddress
            random = known?.kind == .random ? known?.address ?? .zero : configuration.randomAddress
        case .random(let address):
            random = BluetoothAddress(rawValue: address.rawValue | 0xC000_0000_0000)
        }
        localAddress = DeviceAddress(random, .random)
        show(random)
    }

    /// Gives the controller the address that is seen on the air: a private one, our random one, or its own.
    private func show(_ random: BluetoothAddress?) {
        guard let address = firstPrivateAddress() ?? random else {
            startup.ownAddressType = .public
            return begin(.done)
        }
        startup.ownAddressType = .random
        command(HCI.LESetRandomAddress(address: address)) { self.must($0, then: .done) { _ in } }
    }

    private func started() {
        startup.step = nil
        startup.deadline = .distantFuture
        let completion = startup.completion
        startup.completion = nil
        if let error = becomeSomebody() {
            startup.completion = completion
            return startFailed(error)
        }
        setState(.poweredOn)
        updateResolvingList()
        completion?(.success(()))
    }

    func startFailed(_ error: HostError) { adapterFailed(error, recovers: false) }

    /// The step has to succeed.
    private func must<Value>(_ result: Result<Value, HostError>, then next: Startup.Step, _ use: (Value) -> Void) {
        switch result {
        case .success(let value):
            guard startup.step != nil else { return }
            use(value)
            begin(next)
        case .failure(let error):
            guard startup.step != nil else { return }
            startFailed(error)
        }
    }

    /// A controller may lack the command; one that answers with too little is refused.
    private func may<Value>(_ result: Result<Value, HostError>, then next: Startup.Step, _ use: (Value) -> Void) {
        guard startup.step != nil else { return }
        switch result {
        case .success(let value): use(value)
        case .failure(let error): if error.controller == nil { return startFailed(error) }
        }
        begin(next)
    }

    /// Ends commands, operations, links, scans and advertisements, each once, in this order: links with their operations
    /// first. The state is `next` for all who are told, and is told last but for the end of a start.
    ///
    /// Commands that come of it are refused: they would stand before the Reset, or outlive the engine's end.
    private func endEverything(_ error: HostError, _ next: AdapterState) {
        let isNew = next != state
        state = next
        let wasEnding = isEnding
        isEnding = true
        let completion = startup.completion
        startup.completion = nil
        startup.step = nil
        startup.deadline = .distantFuture
        let lost = commands.reset()
        for link in allLinks { closed(link, error) }
        for id in operations.all() { end(id, error) }
        for command in lost { command.completion(.failure(error)) }
        endScans(error)
        endAdvertising(error)
        endSyncs(error)
        connector = Connector()
        earlyPackets.removeAll()
        sendRing.removeAll()
        sendRingHead = 0
        aclFree = 0
        aclTotal = 0
        isEnding = wasEnding
        if isNew { emit(.stateChanged(next)) }
        completion?(.failure(error.during("start")))
    }
}
