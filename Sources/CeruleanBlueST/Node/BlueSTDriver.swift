// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
public import CeruleanSensing
public import CeruleanWire

/// Finds BlueST boards and makes sources of them.
///
/// Channels are identifiers of features: `acceleration`, `gyroscope`, `sensorFusion` …; without any, the inertial
/// sensors, else the first feature that the board sends. Settings: `tick` is the length of a tick of the board's clock
/// in milliseconds.
public struct BlueSTDriver: DeviceDriver {
    /// `bluest`.
    public var kind: String { "bluest" }
    /// What people call the device.
    public var title: String { "ST BlueST board" }
    /// The services that BlueST boards have.
    public var services: [BluetoothUUID] {
        [BlueSTUUID.featureService, BlueSTUUID.debugService, BlueSTUUID.configurationService]
    }

    /// The features that are known.
    public var features: FeatureRegistry
    /// Tells firmware by number, if the user has a catalogue.
    public var catalog: FirmwareCatalog

    /// A driver; features and catalogue of one's own are optional.
    public init(features: FeatureRegistry = FeatureRegistry(), catalog: FirmwareCatalog = FirmwareCatalog()) {
        self.features = features
        self.catalog = catalog
    }

    /// By the manufacturer data. The forms without a company number can be another maker's by chance: with a board that
    /// is not known they are taken for less certain.
    public func recognize(_ fields: AdvertisementFields, address: DeviceAddress?) -> Recognition? {
        guard let found = try? BlueSTAdvertisement(fields) else { return nil }
        let hasCompany = fields.manufacturerData.contains { $0.company == BlueSTAdvertisement.company }
        let isSure = hasCompany || found.content == .loader || found.board.token != "GENERIC"
        return Recognition(kind: kind, confidence: isSure ? .certain : .service, details: details(of: found))
    }

    /// What an advertisement says, in the names of the vectors, with the names of firmware and features where they are
    /// known.
    public func details(of found: BlueSTAdvertisement) -> [FieldValue.Member] {
        var members = found.members
        members.append(.init("boardName", .text(found.board.name)))
        let entry = catalog.entry(for: found) ?? FirmwareCatalog.simulated(found)
        if let entry {
            members.append(.init("firmware", .text(entry.title)))
        } else if found.isCustomFirmware {
            members.append(.init("firmware", "custom"))
        }
        var names: [String] = []
        var slots: [FeatureRegistry.Slot] = []
        var features = features
        entry?.describe(in: &features, protocolVersion: found.protocolVersion)
        if let mask = found.featureMask {
            slots = features.slots(
                of: BlueSTUUID.features(mask), device: found.deviceID, protocolVersion: found.protocolVersion,
                advertised: mask)
        } else if let entry {
            slots = entry.characteristics.flatMap {
                features.slots(
                    of: $0.uuid, device: found.deviceID, protocolVersion: found.protocolVersion, advertised: nil)
            }
        }
        for slot in slots where !names.contains(slot.feature.id) { names.append(slot.feature.id) }
        if !slots.isEmpty { members.append(.init("features", .list(names.map { .text($0) }))) }
        let options = catalog.optionTexts(of: found)
        if !options.isEmpty {
            members.append(.init("options", .object(options.map { .init($0.name, .text($0.text)) })))
        }
        if let values = try? catalog.payload(of: found) { members.append(.init("payload", .object(values))) }
        return members
    }

    /// Connects and finds the features; notifications are switched on with the first event.
    ///
    /// - Throws: `SensingError` about the options, or `BluetoothError`.
    public func open(_ peripheral: Peripheral, options: SourceOptions) async throws -> any SampleSource {
        var nodeOptions: NodeDecoder.Options?
        for (name, value) in options.settings {
            guard name == "tick", let milliseconds = Double(value), (0.1...1000).contains(milliseconds) else {
                throw SensingError(
                    .invalidOption, "setting \(name)=\(value): a BlueST board knows tick, in milliseconds")
            }
            nodeOptions = .init(tick: .nanoseconds(Int64(milliseconds * 1_000_000)))
        }
        for channel in options.channels
        where features.feature(id: channel) == nil && catalog.feature(id: channel) == nil {
            throw SensingError(
                .invalidOption,
                "feature \(channel) is not known; known are "
                    + features.allFeatures.map(\.id).joined(separator: ", "))
        }
        let node = Node(peripheral, features: features, catalog: catalog, options: nodeOptions)
        try await node.connect(timeout: options.timeout)
        let wanted = try Self.features(options.channels, on: node)
        let rate = if let rate = options.rate { rate } else { await Self.measureRate(of: wanted[0], on: node) }
        let firmware = try? await node.console?.firmwareVersion(timeout: .seconds(2)).description
        return BlueSTSource(
            node: node, features: wanted, rate: rate, firmware: firmware,
            reconnectTimeout: options.reconnectTimeout, timeout: options.timeout)
    }

    /// Rates at which boards send.
    private static let usualRates: [Double] = [
        0.1, 0.2, 0.5, 1, 2, 4, 5, 8, 10, 12.5, 20, 25, 26, 30, 100.0 / 3, 40, 50, 52, 62.5, 75, 80, 100, 104, 125, 150,
        200, 208,
        250, 400, 500, 800, 1000,
    ]

    /// Samples a second of a feature, from the first samples of it; nil if they come too seldom to tell.
    static func measureRate(of feature: Feature, on node: Node) async -> Double? {
        guard let samples = try? await node.samples(of: [feature]) else { return nil }
        let loop = node.core.port.loop
        let deadline = loop.now + .seconds(2)
        let tick = (node.core.options ?? .recommended(for: node.advertisement)).tick.inSeconds
        let measured = await withTaskGroup(of: Double?.self) { group in
            group.addTask {
                var count = 0
                var first: FeatureSample?
                do {
                    for try await sample in samples {
                        guard let start = first else {
                            first = sample
                            continue
                        }
                        count += 1 + sample.lostBefore
                        let ticks = sample.timestamp.flatMap { now in start.timestamp.map { now - $0 } }
                        let span = ticks.map { Double($0) * tick } ?? (sample.time - start.time).inSeconds
                        if count >= 24 || (count >= 2 && span >= 1.5) { return span > 0 ? Double(count) / span : nil }
                    }
                } catch { return nil }
                return nil
            }
            group.addTask {
                try? await loop.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let measured else { return nil }
        let usual = usualRates.min { abs($0 - measured) < abs($1 - measured) }
        return usual.flatMap { abs($0 - measured) <= 0.06 * $0 ? $0 : nil } ?? (measured * 10).rounded() / 10
    }

    private static func features(_ names: [String], on node: Node) throws -> [Feature] {
        let all = node.features.filter { $0.canNotify && $0.isEnabled }
        guard names.isEmpty else {
            var wanted: [Feature] = []
            for name in names {
                let feature = try node.feature(id: name).feature
                if !wanted.contains(feature) { wanted.append(feature) }
            }
            return wanted
        }
        let inertial = all.filter { [.acceleration, .gyroscope, .magnetometer].contains($0.feature) }
        if !inertial.isEmpty { return inertial.map(\.feature) }
        let measuring = all.first { !BlueSTSource.numericFields(of: $0.feature).isEmpty }
        guard let first = measuring else {
            throw SensingError(.unsupported, "\(node.name) sends no feature that can be recorded")
        }
        return [first.feature]
    }

    /// A simulated board. Settings: `board` is a name of the board table (SENSOR_TILE_BOX_PRO unless said otherwise),
    /// `protocol` 1 or 2, `features` a list with commas, `tick` in milliseconds, `drop` leaves out one notification of
    /// so many, `flash` is the room for an image in octets, `timestamp` the clock's first count, `advertise` the mask
    /// that is announced (`0x…`), `loader` is blueNRG or wb, `sound` 1 lets it play what its host exports.
    ///
    /// - Throws: `SensingError`.
    public func makeSimulated(_ options: SimulationOptions) throws -> any SimulatedDevice {
        var settings = options.settings
        func number(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
            guard let text = settings.removeValue(forKey: name) else { return nil }
            let value = text.lowercased().hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
            guard let value, range.contains(value) else {
                throw SensingError(.invalidOption, "\(name)=\(text): choose \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        let token = settings.removeValue(forKey: "board") ?? "SENSOR_TILE_BOX_PRO"
        guard let (named, usual) = Board.named(token) else {
            throw SensingError(
                .invalidOption,
                "board \(token): known are "
                    + (Board.common + Board.version2).map(\.token).joined(separator: ", "))
        }
        let version = UInt8(try number("protocol", 1...2) ?? Int(usual))
        let board = Board(id: named.id, protocolVersion: version)
        let list = settings.removeValue(forKey: "features")?.split(separator: ",").map(String.init)
        var configuration: SimulatedNode.Configuration
        do {
            configuration = try SimulatedNode.Configuration(
                board: board, protocolVersion: version, features: list, name: options.name.map { String($0.prefix(7)) },
                registry: features)
        } catch let error {
            throw SensingError(.invalidOption, error.description)
        }
        if let tick = try number("tick", 1...1000) { configuration.tick = .milliseconds(tick) }
        configuration.dropsEvery = try number("drop", 2...1_000_000)
        if let flash = try number("flash", 1...(64 << 20)) { configuration.flashCapacity = flash }
        if let first = try number("timestamp", 0...65535) { configuration.firstTimestamp = UInt16(first) }
        if let mask = try number("advertise", 0...Int(UInt32.max)) { configuration.advertisedMask = UInt32(mask) }
        if let loader = settings.removeValue(forKey: "loader") {
            guard let kind = SimulatedNode.Configuration.Loader(rawValue: loader) else {
                throw SensingError(.invalidOption, "loader=\(loader): choose blueNRG or wb")
            }
            configuration.loader = kind
        }
        if let wanted = try number("sound", 0...1) { configuration.playsSound = wanted == 1 }
        if let name = settings.keys.min() {
            throw SensingError(
                .invalidOption,
                "setting \(name): known are board, protocol, features, tick, drop, flash, timestamp, "
                    + "advertise, loader and sound")
        }
        try replay(options.replays, &configuration)
        return SimulatedBlueSTBoard(configuration)
    }

    /// Recorded channels `feature.field` take the place of what is made up.
    private func replay(
        _ replays: [String: RecordedSignal], _ configuration: inout SimulatedNode.Configuration
    ) throws {
        var signals: [String: [Int: RecordedSignal]] = [:]
        for (name, signal) in replays {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard let first = parts.first, let feature = features.feature(id: first),
                let field = parts.count == 2 ? feature.index(of: parts[1]) : 0, signal.rate > 0, !signal.values.isEmpty
            else {
                throw SensingError(
                    .invalidOption, "channel \(name): name a feature and its field, such as acceleration.X")
            }
            signals[feature.id, default: [:]][field] = signal
        }
        for (id, fields) in signals {
            guard let count = features.feature(id: id)?.fields.count else { continue }
            configuration.signals.overrides[id] = { seconds in
                (0..<count).map { index in
                    guard let signal = fields[index] else { return 0 }
                    let position = Int((seconds * signal.rate).rounded(.down))
                    return signal.values[((position % signal.values.count) + signal.values.count) % signal.values.count]
                }
            }
        }
    }
}
