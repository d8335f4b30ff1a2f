// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension SimulatedNode {
    /// What a simulated board is.
    public struct Configuration: Sendable {
        /// Features that share a characteristic, or one by itself, and how often they are sent.
        public struct Group: Hashable, Sendable {
            /// The characteristic.
            public var characteristic: BluetoothUUID
            /// Notifications a second; 0 for what is sent on demand only.
            public var rate: Double

            /// A characteristic with its rate.
            public init(_ characteristic: BluetoothUUID, rate: Double) {
                self.characteristic = characteristic
                self.rate = rate
            }
        }

        /// A boot loader instead of an application.
        public enum Loader: String, Hashable, Sendable {
            /// BlueNRG.
            case blueNRG
            /// STM32WB and WBA.
            case wb
        }

        /// The board.
        public var board: Board
        /// The protocol of its advertisements, 1 or 2.
        public var protocolVersion: UInt8
        /// The name, at most seven characters.
        public var name: String
        /// The address in the advertisement.
        public var address: BluetoothAddress?
        /// Option octets of version 2: the firmware's number first.
        public var options: [UInt8] = [0xFE, 0, 0, 0]
        /// The characteristics with features.
        public var groups: [Group]
        /// Bits that are advertised; nil for all that are there. Fewer makes features that are sent but were not
        /// announced.
        public var advertisedMask: UInt32?
        /// The length of a tick of its clock.
        public var tick: Duration
        /// The clock's count when the board starts; near 65536 to see it wrap soon.
        public var firstTimestamp: UInt16 = 0
        /// The firmware's version.
        public var version: FirmwareVersion
        /// Octets that its memory has for an image.
        public var flashCapacity = 512 * 1024
        /// Whether upgrade packets are numbered.
        public var hasSequenceNumbers: Bool
        /// Leaves out one notification of so many, on purpose; the clock goes on.
        public var dropsEvery: Int?
        /// A loader instead of an application.
        public var loader: Loader?
        /// Whether the application can be restarted into a loader: STM32WB and WBA.
        public var restartsIntoLoader = false
        /// Whether calibrations are asked for on the console alone, as some SensorTile.box want it.
        public var calibratesByConsole = false
        /// Whether it plays the sound that a host exports.
        public var playsSound = false
        /// What it measures.
        public var signals = BoardSignals()
        /// Features that are known beyond the built-in ones.
        public var registry: FeatureRegistry

        /// A board with features by their identifiers; nil for what such a board usually has.
        ///
        /// - Throws: ``UnknownFeature`` for a feature that the board cannot have.
        public init(
            board: Board, protocolVersion: UInt8, features: [String]? = nil, name: String? = nil,
            registry: FeatureRegistry = FeatureRegistry()
        ) throws(UnknownFeature) {
            self.board = board
            self.protocolVersion = protocolVersion
            self.registry = registry
            self.name = name ?? Self.usualName(of: board)
            tick = protocolVersion == 1 ? .milliseconds(8) : .milliseconds(10)
            hasSequenceNumbers = board.token == "SENSOR_TILE_BOX"
            version = Self.usualVersion(of: board)
            let wanted = features ?? Self.usualFeatures(of: board, protocolVersion: protocolVersion)
            groups = try Self.groups(wanted, board, protocolVersion, registry)
            if board.token == "STM32WB_OTA" { loader = .wb }
            restartsIntoLoader = loader == nil && [.wb, .wba, .wbBased].contains(board.family)
        }

        /// A feature that a board cannot have.
        public struct UnknownFeature: Error, Hashable, Sendable, CustomStringConvertible {
            /// What was asked for.
            public var feature: String
            /// The board.
            public var board: String
            /// The error in words.
            public var description: String { "feature \(feature): a \(board) has no such feature" }
        }

        /// The mask of all basic features that are there.
        public var mask: UInt32 {
            groups.reduce(0) { mask, group in
                if case .features(let more) = BlueSTUUID.kind(of: group.characteristic) { return mask | more }
                return mask
            }
        }

        // MARK: - Usual boards

        private static func usualName(of board: Board) -> String {
            switch board.token {
            case "SENSOR_TILE_BOX": "BoxTile"
            case "SENSOR_TILE_BOX_PRO", "SENSOR_TILE_BOX_PROB", "SENSOR_TILE_BOX_PROC": "BoxPro"
            case "SENSOR_TILE": "AM1V310"
            case "STEVAL_WESU1": "WeSU"
            case "BLUE_COIN": "BlCoin"
            case "STM32WB_OTA": "WB_OTA"
            default: String(board.token.filter { $0 != "_" }.prefix(7))
            }
        }

        private static func usualVersion(of board: Board) -> FirmwareVersion {
            switch board.token {
            case "SENSOR_TILE_BOX": FirmwareVersion(mcuType: "L4R9", name: "BLUEST", major: 3, minor: 1, patch: 0)
            case "SENSOR_TILE": FirmwareVersion(mcuType: "L476", name: "ALLMEMS1", major: 3, minor: 1, patch: 0)
            case "STEVAL_WESU1": FirmwareVersion(mcuType: "L151", name: "WESU", major: 1, minor: 2, patch: 5)
            default: FirmwareVersion(mcuType: "U585", name: "BLUEST", major: 2, minor: 0, patch: 0)
            }
        }

        private static func usualFeatures(of board: Board, protocolVersion: UInt8) -> [String] {
            if board.family == .blueNRG || board.token == "STM32WB_OTA" { return [] }
            if board.id == 0x81, protocolVersion == 1 {
                return ["remoteSwitch", "remotePressure", "remoteHumidity", "remoteTemperature"]
            }
            var features = [
                "acceleration", "gyroscope", "magnetometer", "pressure", "humidity", "temperature", "battery",
                "sensorFusion", "sensorFusionCompact", "compass", "switch", "accelerationEvent", "activity",
                "pedometer",
                "micLevel", "adpcmAudio", "adpcmSync", "sdLogging",
            ]
            if board.token == "SENSOR_TILE_BOX" { features += ["eulerAngle", "memsNorm", "audioClassification"] }
            if protocolVersion == 2 { features += ["extendedConfiguration", "pnpl", "fftAmplitude", "gnss"] }
            return features
        }

        private static func groups(
            _ wanted: [String], _ board: Board, _ protocolVersion: UInt8, _ registry: FeatureRegistry
        ) throws(UnknownFeature) -> [Group] {
            let slots = registry.features(device: board.id, protocolVersion: protocolVersion)
            var masks: [UInt32] = []
            var groups: [Group] = []
            for id in wanted {
                let lower = id.lowercased()
                let ownMasks = slots.filter { $0.feature.id.lowercased() == lower }.map(\.mask)
                if let mask = ownMasks.first {
                    // The second temperature shares the environment's characteristic.
                    masks.append(lower == "temperature" ? ownMasks.reduce(0, |) : mask)
                } else if let number = FeatureRegistry.extendedFeatures.first(where: {
                    $0.value.id.lowercased() == lower
                })?.key {
                    groups.append(Group(BlueSTUUID.extended(number), rate: rate(of: lower)))
                } else if let uuid = FeatureRegistry.external.first(where: { $0.value.id.lowercased() == lower })?.key {
                    groups.append(Group(uuid, rate: rate(of: lower)))
                } else if lower == "generalpurpose" {
                    groups.append(Group(BlueSTUUID.generalPurpose(0x0001_0000), rate: 1))
                } else {
                    throw UnknownFeature(feature: id, board: board.token)
                }
            }
            let all = masks.reduce(0, |)
            // As ST's firmware does: inertial sensors together, environment together, all others alone.
            for shared: UInt32 in [0x00E0_0000, 0x001D_0000] where all & shared != 0 && board.id != 0x81 {
                groups.append(Group(BlueSTUUID.features(all & shared), rate: shared == 0x00E0_0000 ? 50 : 2))
            }
            let rest = board.id == 0x81 ? all : all & ~0x00FD_0000
            for slot in slots where slot.mask & rest != 0 || (slot.feature === Feature.battery && slot.mask & all != 0)
            {
                groups.append(Group(BlueSTUUID.features(slot.mask), rate: rate(of: slot.feature.id.lowercased())))
            }
            return groups
        }

        private static func rate(of id: String) -> Double {
            switch id {
            case "sensorfusion": 100
            case "sensorfusioncompact": 100.0 / 3
            case "eulerangle", "memsnorm", "compass": 25
            case "adpcmaudio": 200
            case "miclevel": 20
            case "medicalsignal16bit": 62.5
            case "medicalsignal24bit": 100.0 / 3
            case "switch", "remoteswitch", "sdlogging", "beamforming", "opusaudioconf",
                "extendedconfiguration",
                "pnpl", "hsdatalogconfiguration", "jsonnfc", "binarycontent", "neaiextrapolation", "ispucontrol",
                "scenedescription", "steppermotor", "roboticsmovement":
                0
            case "opusaudio": 50
            case "fftamplitude": 2
            default: 1
            }
        }
    }
}
