// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One LE controller on an ``Air``: the side below HCI, for any host that speaks H4.
///
/// It answers the commands that Read Local Supported Commands tells, and all others with Unknown HCI Command. Made by
/// ``Air/addController(_:now:)``. Not Sendable: it lives with its air.
public final class VirtualController {
    /// What a controller is made of.
    public struct Configuration: Sendable {
        /// The public address; zero when it has none.
        public var publicAddress: BluetoothAddress
        /// Where it stands.
        public var position = Position.origin
        /// Transmit power in dBm, -127 to 20.
        public var txPower: Int8 = 0
        /// Largest ACL data in octets, 27 to 251.
        public var aclLength: UInt16 = 251
        /// ACL packets that it holds for sending, 1 to 255.
        public var aclCount: UInt8 = 12
        /// LE Read Buffer Size answers zeros, so that the host has to use Read Buffer Size.
        public var sharesBuffers = false
        /// Connections at once, up to 3,839.
        public var maximumConnections = 64
        /// Entries of the filter accept list.
        public var filterAcceptListSize: UInt8 = 16
        /// Entries of the resolving list.
        public var resolvingListSize: UInt8 = 16
        /// Advertising sets at once, 1 to 240.
        public var maximumAdvertisingSets: UInt8 = 16
        /// Octets of advertising data in a set, 31 to 1650.
        public var maximumAdvertisingDataLength: UInt16 = 1650
        /// Entries of the periodic advertiser list.
        public var periodicAdvertiserListSize: UInt8 = 16
        /// Synchronizations to periodic advertising at once.
        public var maximumSyncs = 16
        /// The LE features that it tells. Commands of a feature that is missing are not known to it.
        public var features = HCI.LEFeatures.virtual
        /// Version of HCI and link layer.
        public var version = HCI.Version.core53
        /// Maker; 0xFFFF means none.
        public var company: UInt16 = 0xFFFF
        /// The maker's own version.
        public var subversion: UInt16 = 1
        /// Commands that it pretends not to know.
        public var missingCommands: Set<HCI.Opcode> = []

        /// A controller with 12 buffers of 251 octets at the origin.
        public init(publicAddress: BluetoothAddress) { self.publicAddress = publicAddress }
    }

    /// What it is made of. ``position`` and faults change later.
    public let configuration: Configuration
    /// Where it stands; ``move(to:now:)`` changes it.
    public private(set) var position: Position
    /// Takes whole H4 packets for the host, in order. It should only queue them; octets that it hands to a controller of
    /// the same air from inside wait until the air is through.
    public var output: (([UInt8]) -> Void)?
    /// True after ``powerOff(now:)``.
    public private(set) var isPoweredOff = false
    /// True while it neither answers its host nor uses its radio.
    public private(set) var isSilent = false

    let identifier: UInt32
    private weak var lifetime: Air?
    unowned let air: Air

    private var framer = H4Framer()
    private var resync: [UInt8] = []
    var afterAnswer: [() -> Void] = []
    var eventMask = HCI.EventMask.initial
    /// Bit n stands for event 0x40 + n.
    var eventMaskPage2: UInt64 = 0
    var leEventMask = HCI.LEEventMask.initial
    var randomAddress: BluetoothAddress?
    /// The private half of the key pair that was made last.
    var privateKey: Value256?
    /// Whether the host speaks legacy or extended commands; nil as long as it has used none.
    var dialect: AdvertisingDialect?
    var acceptList: [DeviceAddress] = []
    var resolving = ResolvingList()
    var advertiserList: [PeriodicAdvertiser] = []
    var defaultPHYs: (tx: HCI.PHYMask, rx: HCI.PHYMask)
    var suggestedLength = DataLength()
    /// In the order in which the host made them.
    var sets: [AdvertisingSet] = []
    var scanner = Scanner()
    var initiator = Initiator()
    var syncRequest: HCI.LEPeriodicAdvertisingCreateSync?
    var syncs: [PeriodicSync?] = []
    var defaultSyncTransfer = SyncTransferPolicy()
    var links: [LinkEnd?] = []
    var linkCount = 0
    var hostFlow = HostFlow()
    /// Packets of the host that are not done, over all links.
    var aclInUse = 0
    private(set) var scanTimer: TimerNode!

    init(_ configuration: Configuration, identifier: UInt32, air: Air) {
        self.configuration = configuration
        self.identifier = identifier
        self.air = air
        lifetime = air
        position = configuration.position
        let all = configuration.features.phys
        defaultPHYs = (all, all)
        scanTimer = TimerNode { [unowned self] _ in scanTimerFired() }
    }

    deinit {
        // Trains and those who listen to them hold each other.
        for sync in syncs { sync?.train = nil }
    }

    /// Takes octets from the host, in any pieces.
    ///
    /// After octets that are no H4 it sends a Hardware Error event and waits for a Reset command, whatever is in between.
    public func receive(_ bytes: RawSpan, now: MonotonicTime) {
        lifetime?.receive(bytes, for: self, now: now)
    }

    /// Carries it to another place.
    public func move(to position: Position, now: MonotonicTime) {
        lifetime?.run(now) {
            self.position = position
            air.updateLinks(of: self)
        }
    }

    /// Takes its power away: all state is lost, nothing is said to the host, peers' links time out.
    public func powerOff(now: MonotonicTime) {
        lifetime?.run(now) { powerOff() }
    }

    /// Gives it power again, in its initial state. Does nothing while it has power.
    public func powerOn(now: MonotonicTime) {
        lifetime?.run(now) { isPoweredOff = false }
    }

    /// Hangs it, or wakes it up again: while silent it says nothing, hears nothing and sends nothing over the air.
    public func setSilent(_ isSilent: Bool, now: MonotonicTime) {
        lifetime?.run(now) {
            self.isSilent = isSilent
            air.updateListening(self)
            air.updateLinks(of: self)
        }
    }

    // MARK: - inside

    /// The radio modes that it has.
    var supportedPHYs: HCI.PHYMask { configuration.features.phys }

    var isOnAir: Bool { !isPoweredOff && !isSilent }

    var allLinks: [LinkEnd] { links.compactMap { $0 } }

    func powerOff() {
        reset()
        isPoweredOff = true
        framer.reset()
        resync = []
    }

    /// What Reset does, and loss of power.
    func reset() {
        for set in sets { set.retire() }
        sets = []
        air.cancel(scanTimer)
        scanner = Scanner()
        initiator = Initiator()
        air.updateListening(self)
        for sync in syncs { sync?.stop() }
        syncs = []
        syncRequest = nil
        defaultSyncTransfer = SyncTransferPolicy()
        let ends = allLinks
        links = []
        linkCount = 0
        aclInUse = 0
        hostFlow = HostFlow()
        for end in ends { end.link.abandon(end) }
        eventMask = .initial
        eventMaskPage2 = 0
        leEventMask = .initial
        randomAddress = nil
        privateKey = nil
        dialect = nil
        acceptList = []
        resolving = ResolvingList()
        advertiserList = []
        defaultPHYs = (supportedPHYs, supportedPHYs)
        suggestedLength = DataLength()
        afterAnswer = []
    }

    func process(_ bytes: RawSpan) {
        guard isOnAir else { return }
        var rest = bytes
        if framer.failure != nil {
            guard let start = findReset(bytes) else { return }
            framer.reset()
            run(.reset, [UInt8]().span.bytes)
            rest = bytes.extracting(start..<bytes.byteCount)
        }
        do {
            var framer = H4Framer()
            swap(&framer, &self.framer)
            defer { self.framer = framer }
            try framer.feed(rest) { type, body in handle(type, body) }
        } catch {
            emit(HCI.HardwareError(hardwareCode: 0xFE))
        }
    }

    // MARK: - events

    /// True when the host wants to hear of an LE event.
    func allows(_ subevent: HCI.LESubevent) -> Bool { eventMask.contains(.leMeta) && leEventMask.allows(subevent) }

    func emit(raw packet: [UInt8]) {
        guard isOnAir else { return }
        output?(packet)
    }

    func emit<E: HCIEvent>(_ event: E) {
        switch E.code {
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: break
        default:
            let code = UInt64(E.code.rawValue)
            let isAllowed =
                code > 0x40 ? eventMaskPage2 >> (code - 0x40) & 1 == 1 : eventMask.rawValue >> (code &- 1) & 1 == 1
            guard isAllowed else { return }
        }
        guard let packet = try? event.h4Packet() else { return }
        emit(raw: packet)
    }

    func emit<E: HCILEEvent>(_ event: E) {
        guard allows(E.subevent), let packet = try? event.h4Packet() else { return }
        emit(raw: packet)
    }

    // MARK: - private

    private func handle(_ type: H4.PacketType, _ body: RawSpan) {
        switch type {
        case .command:
            guard let view = try? HCI.CommandView(body) else { return }
            run(view.opcode, view.parameters)
        case .acl: receivedACL(body)
        default: break  // LE only: synchronous data is not for us, events are not the host's to send.
        }
    }

    /// Looks for the octets of a Reset command in a stream that lost its frame; the place behind them.
    private func findReset(_ bytes: RawSpan) -> Int? {
        let pattern: [UInt8] = [1, 3, 0x0C, 0]
        for index in 0..<bytes.byteCount {
            resync.append(bytes[index])
            if resync.count > 4 { resync.removeFirst() }
            if resync == pattern {
                resync = []
                return index + 1
            }
        }
        return nil
    }
}

extension HCI.LEFeatures {
    /// Everything that virtual controllers can do.
    public static let virtual: Self = [
        .legacyVirtual, .ping, .privacy, .extendedFilterPolicies, .leCoded, .extendedAdvertising, .periodicAdvertising,
        .channelSelection2, .periodicSyncTransferSender, .periodicSyncTransferRecipient, .remotePublicKeyValidation,
        .periodicAdvertisingADI,
    ]

    /// What controllers of Bluetooth 4.2 can do, and LE 2M: no extended advertising and no resolving list.
    public static let legacyVirtual: Self = [
        .encryption, .connectionParametersRequest, .extendedReject, .peripheralInitiatedFeatures,
        .dataLengthExtension, .le2M,
    ]

    /// The radio modes of these features.
    var phys: HCI.PHYMask {
        var mask: HCI.PHYMask = .le1M
        if contains(.le2M) { mask.insert(.le2M) }
        if contains(.leCoded) { mask.insert(.leCoded) }
        return mask
    }
}
