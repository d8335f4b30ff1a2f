// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// The registers of a simulated board.
struct SimulatedRegisters: Sendable {
    private var values: [Register.Target: [UInt8: [UInt8]]] = [.session: [:], .persistent: [:]]
    /// The last answer: what a read of the characteristic gives.
    private(set) var last: [UInt8] = []

    init() {
        values[.session]?[0x03] = [87, 0]
        values[.session]?[0x04] = [0x74, 0x0E, 0, 0]
        values[.session]?[0x90] = [12, 0, 0, 1, 1, 25, 3, 0]
    }

    mutating func setName(_ name: String) { values[.persistent]?[0x03] = Array(Array(name.utf8).prefix(15)) }

    mutating func setVersion(_ version: FirmwareVersion) {
        let numbers = [
            UInt8(clamping: version.patch), UInt8(clamping: version.major) << 4 | UInt8(clamping: version.minor) & 15,
        ]
        values[.session]?[0x00] = numbers
        values[.persistent]?[0x00] = numbers
    }

    /// Does what a message asks; the answer repeats its head. Errors: 1 no such register, 2 not allowed, 3 wrong
    /// length.
    mutating func perform(_ message: RegisterMessage) -> RegisterMessage {
        var reply = message
        reply.payload = []
        defer { last = reply.encoded }
        guard let register = Register.wesu(at: message.address, target: message.target),
            register.targets.contains(message.target)
        else {
            reply.error = 1
            return reply
        }
        let size = 2 * Int(register.words)
        switch message.operation {
        case .read:
            guard register.access.contains(.read) else {
                reply.error = 2
                return reply
            }
            reply.words = register.words
            let value = values[message.target]?[message.address] ?? []
            reply.payload = Array((value + [UInt8](repeating: 0, count: size)).prefix(size))
        case .write:
            if !register.access.contains(.write) {
                reply.error = 2
            } else if message.payload.count > size || message.words != register.words {
                reply.error = 3
            } else {
                values[message.target]?[message.address] = message.payload
            }
        }
        return reply
    }
}

/// The boot loader of a simulated board.
struct SimulatedLoader: Sendable {
    typealias Output = (values: [(BluetoothUUID, [UInt8])], restarts: Bool)

    let kind: SimulatedNode.Configuration.Loader
    let flashCapacity: Int
    /// What has arrived.
    private(set) var image: [UInt8] = []
    private var settings: [UInt8] = []
    private var expected = 0
    private var isOpen = false

    /// Where its memory begins, as the BlueNRG has it.
    static let base: UInt32 = 0x1004_0000

    init(kind: SimulatedNode.Configuration.Loader, flashCapacity: Int) {
        self.kind = kind
        self.flashCapacity = flashCapacity
    }

    var service: (uuid: BluetoothUUID, attributes: [SimulatedNode.Attribute]) {
        switch kind {
        case .wb:
            return (
                BlueSTUUID.loaderService,
                [
                    .init(uuid: BlueSTUUID.loaderControl, writes: true),
                    .init(uuid: BlueSTUUID.loaderEvents, indicates: true),
                    .init(uuid: BlueSTUUID.loaderData, writes: true),
                ]
            )
        case .blueNRG:
            return (
                BlueSTUUID.blueNRGService,
                [
                    .init(uuid: BlueSTUUID.blueNRGMemory, reads: true),
                    .init(uuid: BlueSTUUID.blueNRGSettings, reads: true, writes: true),
                    .init(uuid: BlueSTUUID.blueNRGData, writes: true),
                    .init(uuid: BlueSTUUID.blueNRGAck, notifies: true),
                ]
            )
        }
    }

    func read(_ uuid: BluetoothUUID) -> [UInt8] {
        switch uuid {
        case BlueSTUUID.blueNRGMemory:
            let high = Self.base + UInt32(truncatingIfNeeded: flashCapacity) - 1
            return [Self.base, high].flatMap { FeatureCommand.littleEndian($0.byteSwapped) } + [0x20]
        case BlueSTUUID.blueNRGSettings: return settings
        default: return []
        }
    }

    /// Takes a write; nil refuses it.
    mutating func write(_ bytes: [UInt8], to uuid: BluetoothUUID) -> Output? {
        switch uuid {
        case BlueSTUUID.loaderControl: return control(bytes)
        case BlueSTUUID.loaderData:
            guard isOpen else { return nil }
            guard image.count + bytes.count <= flashCapacity else {
                isOpen = false
                return ([(BlueSTUUID.loaderEvents, [0x03])], false)
            }
            image += bytes
            return ([], false)
        case BlueSTUUID.blueNRGSettings:
            guard bytes.count == 9 else { return nil }
            settings = bytes
            image = []
            expected = 0
            return ([], false)
        case BlueSTUUID.blueNRGData: return packet(bytes)
        default: return nil
        }
    }

    private mutating func control(_ bytes: [UInt8]) -> Output? {
        switch bytes.first {
        case 0x01, 0x02:
            guard bytes.count >= 4 else { return nil }
            image = []
            isOpen = true
            return ([(BlueSTUUID.loaderEvents, [0x02])], false)
        case 0x07:
            guard isOpen else { return nil }
            isOpen = false
            return ([(BlueSTUUID.loaderEvents, [0x01])], true)
        case 0x00, 0x08:
            isOpen = false
            image = []
            return ([], false)
        default: return nil
        }
    }

    private mutating func packet(_ bytes: [UInt8]) -> Output? {
        guard bytes.count >= 20, settings.count == 9 else { return nil }
        func ack(_ error: UInt8) -> Output {
            let number = BoardSignals.little(UInt64(expected), 2)
            return ([(BlueSTUUID.blueNRGAck, number + [error])], false)
        }
        guard bytes[0] == bytes.dropFirst().reduce(0, ^) else { return ack(0x0F) }
        let sequence = Int(bytes[bytes.count - 2]) | Int(bytes[bytes.count - 1]) << 8
        guard sequence == expected else { return ack(0xF0) }
        let size = settings[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard image.count + bytes.count - 4 <= min(size, flashCapacity) else { return ack(0xFF) }
        image += bytes[1..<(bytes.count - 3)]
        expected += 1
        guard bytes[bytes.count - 3] != 0 else { return ([], false) }
        var output = ack(0)
        output.restarts = image.count >= size
        return output
    }
}

/// What a simulated board answers to messages.
enum SimulatedMessages {
    static func reply(
        to message: [UInt8], on feature: Feature, _ configuration: SimulatedNode.Configuration,
        _ version: FirmwareVersion
    ) -> [UInt8]? {
        let text = String(decoding: MessageTransport.trimmed(message), as: UTF8.self)
        guard let request = MessageJSON.parse(text) else { return finished(["Error": "no JSON"]) }
        switch feature.id {
        case "extendedConfiguration": return finished(extended(request, configuration, version))
        case "pnpl": return finished(pnpl(request, configuration))
        case "hsDataLogConfiguration": return dataLog(request, configuration, version).map(finished)
        case "jsonNFC":
            if request["Command"] == .text("ReadModes") {
                return finished(["Answer": "NFCWiFi,NFCVCard,NFCURL,GenericText"])
            }
            return finished(["Answer": "OK"])
        case "neaiExtrapolation":
            return finished(["phase": "extrapolation", "state": "ok", "target": 1.5, "unit": "N", "stub": true])
        case "binaryContent": return message
        default: return finished(["Answer": "OK"])
        }
    }

    /// What a robot on wheels answers.
    static func reply(to message: RobotMessage) -> RobotMessage {
        switch (message.command, message.action) {
        case (.topology, .read): RobotMessage(.topology, .read, [0x00, 0x00, 0x48, 0x31])
        case (_, .write) where (0x21...0x26).contains(message.command.rawValue):
            RobotMessage(message.command, .acknowledged)
        case (_, .write), (_, .read), (_, .periodicRead):
            RobotMessage(message.command, .failed(.init(rawValue: 1)))
        default: RobotMessage(message.command, .failed(.init(rawValue: 4)))
        }
    }

    private static func finished(_ value: FieldValue) -> [UInt8] { Array((MessageJSON.text(value) + "\n").utf8) }

    /// A data logger with one sensor of two parts. What is set is not answered, as ST's firmware does.
    private static func dataLog(
        _ request: FieldValue, _ configuration: SimulatedNode.Configuration, _ version: FirmwareVersion
    ) -> FieldValue? {
        guard case .text("GET")? = request["command"], case .text(let wanted)? = request["request"] else { return nil }
        func part(_ id: Int, _ type: String, _ unit: String, _ scales: [FieldValue]) -> FieldValue {
            [
                "id": FieldValue(integer: id), "sensorType": .text(type), "dimensions": 3,
                "dimensionsLabel": ["x", "y", "z"], "unit": .text(unit), "dataType": "int16_t", "FS": .list(scales),
                "ODR": [12.5, 26, 52, 104], "samplesPerTs": ["min": 0, "max": 1000, "dataType": "int16_t"],
            ]
        }
        func status(_ scale: FieldValue) -> FieldValue {
            [
                "isActive": true, "ODR": 104, "ODRMeasured": 104.2, "initialOffset": 0.05, "FS": scale,
                "sensitivity": 0.061, "samplesPerTs": 100, "usbDataPacketSize": 3000, "sdWriteBufferSize": 32768,
                "wifiDataPacketSize": 3000, "comChannelNumber": -1, "ucfLoaded": false,
            ]
        }
        let states: FieldValue = ["subSensorStatus": [status(4), status(2000)]]
        let info: FieldValue = [
            "serialNumber": "434552554C45414E", "alias": .text(configuration.name),
            "partNumber": .text(configuration.board.token), "fwName": .text(version.name),
            "fwVersion": .text("\(version.major).\(version.minor).\(version.patch)"), "dataFileExt": ".dat",
            "dataFileFormat": "HSD_1.0.0",
        ]
        let tags: FieldValue = [
            "maxTagsPerAcq": 100, "swTags": [["id": 0, "label": "SW_TAG_0"]],
            "hwTags": [["id": 5, "pinDesc": "USER BUTTON", "label": "HW_TAG_5", "enabled": false]],
        ]
        switch wanted {
        case "device":
            let sensor: FieldValue = [
                "id": 0, "name": "LSM6DSO",
                "sensorDescriptor": [
                    "subSensorDescriptor": [part(0, "ACC", "g", [2, 4, 8, 16]), part(1, "GYRO", "mdps", [250, 2000])]
                ], "sensorStatus": states,
            ]
            return ["device": ["deviceInfo": info, "sensor": [sensor], "tagConfig": tags]]
        case "deviceInfo": return ["deviceInfo": info]
        case "tag_config": return ["tagConfig": tags]
        case "log_status":
            return [
                "isLogging": false, "isSDInserted": true, "cpuUsage": 12.5, "batteryVoltage": 3.7, "batteryLevel": 87,
            ]
        case "status": return ["sensorId": 0, "sensorStatus": states]
        default: return nil
        }
    }

    private static func extended(
        _ request: FieldValue, _ configuration: SimulatedNode.Configuration, _ version: FirmwareVersion
    ) -> FieldValue {
        guard case .text(let command)? = request["command"] else { return ["Error": "no command"] }
        switch command {
        case "ReadCommand":
            return ["Commands": "UID,VersionFw,Info,Help,PowerStatus,SetName,SetTime,SetDate,ReadSensorsConfig"]
        case "UID": return ["UID": "434552554C45414E"]
        case "VersionFw": return ["VersionFw": .text(version.description)]
        case "Info": return ["Info": .text("\(configuration.name) \(version)")]
        case "Help": return ["Help": "UID, VersionFw, Info, PowerStatus"]
        case "PowerStatus": return ["PowerStatus": "Battery 87%"]
        case "ReadSensorsConfig": return ["sensor": [["id": 0, "name": "LSM6DSO"]]]
        case "SetName", "SetTime", "SetDate": return ["Info": .text("\(command) done")]
        default: return ["Error": .text("unknown command \(command)")]
        }
    }

    private static func pnpl(_ request: FieldValue, _ configuration: SimulatedNode.Configuration) -> FieldValue {
        guard request["get_status"] != nil else { return ["PnPL_Response": ["status": true, "value": "done"]] }
        return [
            "devices": [
                [
                    "board_id": FieldValue(integer: configuration.board.id),
                    "fw_id": FieldValue(integer: configuration.options.first ?? 0),
                    "components": [
                        ["lsm6dso_acc": ["odr": 50, "fs": 4, "enable": true]],
                        [
                            "control": [
                                "st_ble_stream": [
                                    "id": 0,
                                    "wave": [
                                        "format": "float", "elements": 1, "channels": 1, "unit": "V",
                                        "multiply_factor": 1,
                                    ],
                                ]
                            ]
                        ],
                    ],
                ]
            ]
        ]
    }
}
