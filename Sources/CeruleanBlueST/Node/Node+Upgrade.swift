// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire

extension Node {
    /// How an upgrade is done.
    public struct UpgradeOptions: Sendable {
        /// What is upgraded over the console.
        public var destination: ConsoleUpgrade.Destination
        /// How packets are sent over the console; nil for what the board wants.
        public var console: ConsoleUpgrade.Options?
        /// What the user's catalogue says about the firmware that runs: longer packets than usual.
        public var catalogEntry: FirmwareCatalog.Entry?
        /// Where a BlueNRG image goes.
        public var baseAddress: UInt32?
        /// Where an STM32WB keeps images; nil for what the board is known to have.
        public var layout: LoaderUpgrade.Layout?
        /// Octets that the board's memory has room for, where known.
        public var capacity: Int?
        /// Sends images that look wrong as well; what can never work is refused all the same.
        public var isForced: Bool
        /// How often a lost link is made again; after that the upgrade ends.
        public var reconnections: Int
        /// How long each attempt to get the link back may take.
        public var timeout: Duration

        /// By default: the board's own way, all checks, ten reconnections.
        public init(
            destination: ConsoleUpgrade.Destination = .board, console: ConsoleUpgrade.Options? = nil,
            baseAddress: UInt32? = nil, layout: LoaderUpgrade.Layout? = nil, capacity: Int? = nil,
            isForced: Bool = false, reconnections: Int = 10, timeout: Duration = .seconds(10)
        ) {
            self.destination = destination
            self.console = console
            self.baseAddress = baseAddress
            self.layout = layout
            self.capacity = capacity
            self.isForced = isForced
            self.reconnections = reconnections
            self.timeout = timeout
        }
    }

    /// What an upgrade tells on its way.
    public enum UpgradeEvent: Sendable {
        /// The board runs this firmware.
        case running(FirmwareVersion)
        /// The radio, which is to be upgraded, says that it runs this.
        case radioRuns(String)
        /// How far it is; `remaining` is an estimate.
        case progress(UpgradeProgress, remaining: Duration?)
        /// The link was lost and is being made again.
        case linkLost(String)
        /// The link is back, and the image goes on.
        case linkResumed
        /// The application restarts into its loader, which is another device.
        case restartingIntoLoader
        /// The loader was found.
        case loaderFound(Node)
    }

    /// The ways in which the node can be upgraded, the usual one first.
    public enum UpgradeMethod: String, Sendable {
        /// Over the debug console.
        case console
        /// BlueNRG's loader.
        case blueNRG
        /// STM32WB's loader.
        case loader
        /// The application must restart into its loader first: see ``BlueSTManager/upgrade(_:with:options:events:)``
        /// does all of it.
        case restartIntoLoader
    }

    /// How the node can be upgraded; nil when no way is known. Connect first.
    public var upgradeMethod: UpgradeMethod? {
        if !core.allKeys(BlueSTUUID.loaderData, needing: [.write, .writeWithoutResponse]).isEmpty { return .loader }
        if !core.allKeys(BlueSTUUID.blueNRGData, needing: [.write, .writeWithoutResponse]).isEmpty { return .blueNRG }
        if !core.allKeys(BlueSTUUID.rebootRequest, needing: [.write, .writeWithoutResponse]).isEmpty {
            return .restartIntoLoader
        }
        return console == nil ? nil : .console
    }

    /// Brings an image into the board. Connected, or connected to first; afterwards boards restart, and the link ends.
    ///
    /// The image is checked before the first octet is sent. A lost link is made again: boards that number the packets
    /// go on where they were, others begin anew.
    ///
    /// - Throws: ``UpgradeError``, which says what state the board is left in; `BluetoothError` when it cannot be
    ///   reached.
    public func upgrade(
        _ image: FirmwareImage, options: UpgradeOptions = UpgradeOptions(),
        events: @Sendable (UpgradeEvent) -> Void = { _ in }
    ) async throws {
        if !isConnected { try await connect(timeout: options.timeout) }
        var running: FirmwareVersion?
        let method = upgradeMethod
        if method == .console, let console {
            running = try? await console.firmwareVersion(timeout: options.timeout)
            if options.destination == .radio {
                if let radio = try? await console.radioVersion(timeout: options.timeout) { events(.radioRuns(radio)) }
            } else if let running {
                events(.running(running))
            }
        }
        try check(image, options, method, running: running)
        switch method {
        case .console:
            var packets = options.console ?? .recommended(for: board, running: running)
            let entry = options.catalogEntry ?? firmware
            if options.console == nil, let upgrade = entry?.upgrade {
                packets.lengthen(upgrade, writeLength: core.port.writeLength)
            }
            let chosen = packets
            try await run(options, events) { _ in
                ConsoleUpgrade(image, destination: options.destination, options: chosen)
            }
        case .blueNRG:
            try await run(options, events) { size in
                BlueNRGUpgrade(image, baseAddress: options.baseAddress, writeSize: size)
            }
        case .loader:
            let layout = options.layout ?? LoaderUpgrade.Layout(board: board) ?? .wb55
            try await run(options, events) { size in
                LoaderUpgrade(
                    image, layout: layout, destination: .init(options.destination), writeSize: size)
            }
        case .restartIntoLoader:
            throw UpgradeError(
                .unsupported,
                "\(name) must restart into its loader first, which BlueSTManager.upgrade does: nothing was sent")
        case nil:
            throw UpgradeError(
                .unsupported,
                "\(name) has neither a debug console nor a loader: nothing was sent; "
                    + "it cannot be upgraded over the air")
        }
    }

    /// Checks an image for what will take it.
    func check(
        _ image: FirmwareImage, _ options: UpgradeOptions, _ method: UpgradeMethod?, running: FirmwareVersion? = nil
    ) throws(UpgradeError) {
        var target = FirmwareImage.Target.stm32(address: nil)
        var capacity = options.capacity
        switch method {
        case .blueNRG: target = .blueNRG
        case .loader, .restartIntoLoader:
            let layout = options.layout ?? LoaderUpgrade.Layout(board: board) ?? .wb55
            // A loader does not tell what board it is on, so without a layout only the form of its image is known.
            let isKnown = options.layout != nil || method == .restartIntoLoader
            if isKnown { target = .stm32(address: layout.applicationAddress) }
            capacity = min(capacity ?? .max, layout.largestImage)
        case .console, nil: break
        }
        let isRadio = options.destination == .radio
        try image.check(
            for: board, running: isRadio ? nil : running, capacity: capacity, target: isRadio ? .radio : target,
            isForced: options.isForced)
    }

    /// Makes an STM32WB application restart into its loader: the link ends, and the loader advertises with the next
    /// address.
    ///
    /// - Throws: `BluetoothError`.
    public func restartIntoLoader(
        for image: FirmwareImage, destination: LoaderUpgrade.Destination = .application,
        layout: LoaderUpgrade.Layout? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        guard let key = core.allKeys(BlueSTUUID.rebootRequest, needing: [.write, .writeWithoutResponse]).first else {
            throw BluetoothError(.unsupported, "restarting \(name) into its loader")
        }
        let layout = layout ?? LoaderUpgrade.Layout(board: board) ?? .wb55
        let request = LoaderUpgrade.rebootRequest(for: image, layout: layout, destination: destination)
        try await core.port.write(request, to: key, withResponse: false, timeout: timeout)
    }

    // MARK: - Private

    private func run(
        _ options: UpgradeOptions, _ events: @Sendable (UpgradeEvent) -> Void,
        _ make: (_ writeSize: Int) -> any UpgradeProcedure
    ) async throws {
        let start = core.port.loop.now
        var reconnections = 0
        while true {
            var procedure = make(core.port.writeLength)
            do {
                try await attempt(&procedure, start: start, events)
                return
            } catch let error as BluetoothError {
                if error.code == .cancelled { throw await aborted(&procedure) }
                let isLink = error.code == .disconnected || error.code == .staleAttribute || !isConnected
                guard isLink else { throw error }
                reconnections += 1
                guard reconnections <= options.reconnections else {
                    throw UpgradeError(
                        .transmission,
                        "the link to \(name) was lost \(reconnections) times (\(error)): \(procedure.remains)")
                }
                events(.linkLost(error.description))
                do {
                    try await reconnect(options, error, procedure.remains)
                } catch is CancellationError {
                    throw await aborted(&procedure)
                }
                events(.linkResumed)
            } catch is CancellationError {
                throw await aborted(&procedure)
            }
        }
    }

    /// Tells the board that the rest will not come, and the caller what is left.
    private func aborted(_ procedure: inout any UpgradeProcedure) async -> UpgradeError {
        let remains = procedure.remains
        for action in procedure.abandon() where isConnected {
            guard case .write(let bytes, let channel, _) = action, let key = try? key(channel) else { continue }
            await core.port.writeLast(bytes, to: key, timeout: .seconds(2))
        }
        return UpgradeError(.aborted, "the upgrade of \(name) was ended before it was complete: \(remains)")
    }

    private func reconnect(_ options: UpgradeOptions, _ cause: BluetoothError, _ remains: String) async throws {
        let loop = core.port.loop
        var pause = Duration.milliseconds(200)
        for _ in 0..<6 {
            try await loop.sleep(for: pause)
            if (try? await connect(timeout: options.timeout)) != nil { return }
            try Task.checkCancellation()
            pause = min(pause * 2, .seconds(5))
        }
        throw UpgradeError(
            .notBack, "\(name) does not come back as \(tag) after the link was lost (\(cause)): \(remains)")
    }

    /// One run of a procedure on one link.
    private func attempt(
        _ procedure: inout any UpgradeProcedure, start: MonotonicTime, _ events: @Sendable (UpgradeEvent) -> Void
    ) async throws {
        let loop = core.port.loop
        let inbox = UpgradeInbox()
        var watches: [UInt64] = []
        var used: [PortKey] = []
        defer {
            core.unwatch(watches)
            for key in used { core.release(key) }
        }
        for channel in procedure.subscriptions {
            guard let key = core.allKeys(channel.uuid, needing: [.notify, .indicate]).first else { continue }
            try await core.use(key, timeout: .seconds(10))
            used.append(key)
            watches.append(core.watch(key, { inbox.put(channel, $0) }, { inbox.fail($0) }))
        }
        var lastShown = MonotonicTime.zero
        var actions = procedure.start(at: loop.now)
        while true {
            try Task.checkCancellation()
            if let action = actions.first {
                actions.removeFirst()
                switch action {
                case .write(let bytes, let channel, let withResponse):
                    try await core.port.write(
                        bytes, to: try key(channel), withResponse: withResponse, timeout: .seconds(10))
                    actions += procedure.writeCompleted(at: loop.now)
                case .read(let channel):
                    let value = try await core.port.read(try key(channel), timeout: .seconds(10))
                    actions += procedure.received(value, from: channel, at: loop.now)
                case .finished:
                    events(
                        .progress(
                            UpgradeProgress(sent: procedure.progress.total, total: procedure.progress.total),
                            remaining: .zero))
                    return
                case .failed(let error): throw error
                }
                if loop.now >= lastShown + .milliseconds(100) {
                    lastShown = loop.now
                    let progress = procedure.progress
                    events(.progress(progress, remaining: progress.remaining(after: loop.now - start)))
                }
            }
            // What came meanwhile is heard before the next action: a board may have refused.
            while let (channel, bytes) = try inbox.take() {
                let more = procedure.received(bytes, from: channel, at: loop.now)
                if more.contains(where: { if case .failed = $0 { true } else { false } }) { actions = [] }
                actions += more
            }
            if actions.isEmpty {
                let deadline = procedure.nextDeadline
                if deadline <= loop.now {
                    actions += procedure.deadlineReached(at: loop.now)
                } else {
                    await inbox.wait(on: loop, until: min(deadline, loop.now + .seconds(30)))
                }
            }
        }
    }

    private func key(_ channel: UpgradeChannel) throws(BluetoothError) -> PortKey {
        guard let key = core.allKeys(channel.uuid, needing: [.read, .write, .writeWithoutResponse]).first else {
            throw BluetoothError(isConnected ? .notFound : .disconnected, "characteristic \(channel.uuid) on \(name)")
        }
        return key
    }
}
