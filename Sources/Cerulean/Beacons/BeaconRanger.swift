// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// How ranging works.
public struct RangingOptions: Hashable, Sendable {
    /// Turns strength into meters.
    public var model: DistanceModel
    /// Time between two reports.
    public var cycle: Duration
    /// How long the samples of a beacon count.
    public var window: Duration
    /// How long a beacon that is not heard stays in the list, with its distance unknown.
    public var memory: Duration

    /// By default each second, over samples of 20 s, with a memory of 5 s.
    public init(
        model: DistanceModel = .radius2013, cycle: Duration = .seconds(1), window: Duration = .seconds(20),
        memory: Duration = .seconds(5)
    ) {
        self.model = model
        self.cycle = cycle
        self.window = window
        self.memory = memory
    }
}

/// A beacon and how far away it seems to be.
public struct RangedBeacon: Hashable, Sendable {
    /// Which beacon it is.
    public var identity: BeaconIdentity
    /// The mean strength in dBm; 0 when the beacon was not heard in this cycle.
    public var rssi: Int
    /// The distance in meters, rough; -1 when unknown.
    public var accuracy: Double
    /// The class of the distance.
    public var proximity: BeaconProximity

    /// A ranged beacon.
    public init(identity: BeaconIdentity, rssi: Int, accuracy: Double, proximity: BeaconProximity) {
        self.identity = identity
        self.rssi = rssi
        self.accuracy = accuracy
        self.proximity = proximity
    }
}

/// The beacons of a region, once in each cycle.
public struct RangedBeacons: Hashable, Sendable {
    /// The region.
    public var region: BeaconRegion
    /// Host time of the report.
    public var time: MonotonicTime
    /// The beacons heard lately, nearest first, those with an unknown distance last.
    public var beacons: [RangedBeacon]
    /// Those of ``beacons`` that came or changed their class. A class counts once two cycles in a row agree on it, so that a
    /// beacon at a border is not told of each second.
    public var proximityChanges: [RangedBeacon]
}

/// Keeps what was heard of the beacons of one region. Pure: the owner tells what was heard and asks once in each cycle.
public struct BeaconRanger: Sendable {
    /// Beacons kept for one region; what is heard of more is counted in ``ignoredCount`` alone.
    public static let beaconLimit = 1024
    /// Samples kept for each beacon; beyond it the oldest go.
    public static let sampleLimit = 512

    /// The region.
    public let region: BeaconRegion
    /// Frames of beacons that were too many.
    public private(set) var ignoredCount = 0

    private struct Sample {
        var time: MonotonicTime
        var rssi: Int
    }

    private struct Track {
        var samples: [Sample] = []
        var measuredPower: Int
        var lastHeard: MonotonicTime
        var isHeardInCycle = true
        /// The class that was told last, and the one of the cycle before.
        var told: BeaconProximity?
        var previous: BeaconProximity?
    }

    private let options: RangingOptions
    private var tracks: [BeaconIdentity: Track] = [:]

    /// Starts without any beacon.
    public init(_ region: BeaconRegion, options: RangingOptions = RangingOptions()) {
        self.region = region
        self.options = options
    }

    /// A beacon was heard; one of another region is passed over.
    ///
    /// - Parameters:
    ///   - beacon: What was heard.
    ///   - measuredPower: The strength at 1 m in dBm.
    ///   - rssi: The strength in dBm; nil when the controller could not measure it.
    ///   - now: The present moment.
    public mutating func heard(_ beacon: BeaconIdentity, measuredPower: Int, rssi: Int?, at now: MonotonicTime) {
        guard region.contains(beacon) else { return }
        guard tracks[beacon] != nil || tracks.count < Self.beaconLimit else {
            ignoredCount &+= 1
            return
        }
        var track = tracks.removeValue(forKey: beacon) ?? Track(measuredPower: measuredPower, lastHeard: now)
        track.measuredPower = measuredPower
        track.lastHeard = now
        track.isHeardInCycle = true
        if let rssi {
            if track.samples.count >= Self.sampleLimit {
                track.samples.removeFirst(track.samples.count - Self.sampleLimit + 1)
            }
            track.samples.append(Sample(time: now, rssi: rssi))
        }
        tracks[beacon] = track
    }

    /// Ends a cycle.
    public mutating func report(at now: MonotonicTime) -> RangedBeacons {
        var report = RangedBeacons(region: region, time: now, beacons: [], proximityChanges: [])
        for (identity, var track) in tracks {
            guard now - track.lastHeard <= options.memory else {
                tracks[identity] = nil
                continue
            }
            track.samples.removeAll { now - $0.time > options.window }
            let beacon = ranged(identity, track)
            report.beacons.append(beacon)
            if track.told != beacon.proximity, track.told == nil || track.previous == beacon.proximity {
                track.told = beacon.proximity
                report.proximityChanges.append(beacon)
            }
            track.previous = beacon.proximity
            track.isHeardInCycle = false
            tracks[identity] = track
        }
        report.beacons.sort { Self.order($0) < Self.order($1) }
        report.proximityChanges.sort { Self.order($0) < Self.order($1) }
        return report
    }

    // MARK: - Private

    private func ranged(_ identity: BeaconIdentity, _ track: Track) -> RangedBeacon {
        guard track.isHeardInCycle, let mean = Self.mean(track.samples.map(\.rssi)) else {
            return RangedBeacon(identity: identity, rssi: 0, accuracy: -1, proximity: .unknown)
        }
        let accuracy = options.model.accuracy(rssi: mean, measuredPower: track.measuredPower)
        return RangedBeacon(
            identity: identity, rssi: Int(mean.rounded()), accuracy: accuracy,
            proximity: BeaconProximity(accuracy: accuracy))
    }

    /// The mean without the strongest and the weakest tenth.
    private static func mean(_ samples: [Int]) -> Double? {
        guard !samples.isEmpty else { return nil }
        let cut = samples.count / 10
        let kept = samples.sorted()[cut..<samples.count - cut]
        return Double(kept.reduce(0, +)) / Double(kept.count)
    }

    /// Nearest first, unknown last, then by identity so that the order is always the same.
    private static func order(_ beacon: RangedBeacon) -> (Double, String) {
        (beacon.accuracy < 0 ? .infinity : beacon.accuracy, beacon.identity.sortingText)
    }
}

extension BeaconIdentity {
    fileprivate var sortingText: String {
        switch self {
        case .proximity(let uuid, let major, let minor):
            uuid.longText + Hex.encode(major.bigEndianOctets) + Hex.encode(minor.bigEndianOctets)
        case .eddystone(let namespace, let instance): Hex.encode(namespace + instance)
        }
    }
}
