// SPDX-License-Identifier: Apache-2.0

public import Cerulean
public import CeruleanWire

/// Requests to a board's data logger, ``Feature/dataLogConfiguration``. bluest.md §10.
///
/// ```swift
/// try await node.tell(DataLog.set(sensor: 0, part: 0, rate: 104), feature: .dataLogConfiguration)
/// try await node.tell(DataLog.start, feature: .dataLogConfiguration)
/// ```
public enum DataLog {
    /// Begin to log.
    public static let start = BoardMessage.dataLog("START")
    /// End logging.
    public static let stop = BoardMessage.dataLog("STOP")
    /// Keep the settings.
    public static let save = BoardMessage.dataLog("SAVE")
    /// Describe the whole board: ``DataLogDevice``.
    public static let device = BoardMessage.dataLog("GET", request: "device")
    /// Tell what the board is.
    public static let deviceInfo = BoardMessage.dataLog("GET", request: "deviceInfo")
    /// Tell whether it logs: ``DataLogStatus``.
    public static let status = BoardMessage.dataLog("GET", request: "log_status")
    /// Tell which marks there are.
    public static let tags = BoardMessage.dataLog("GET", request: "tag_config")
    /// Tell which network it is in.
    public static let network = BoardMessage.dataLog("GET", request: "network")

    /// Describe a sensor.
    public static func descriptor(sensor: Int) -> FieldValue {
        BoardMessage.dataLog("GET", request: "descriptor", parameters: [number("sensorId", sensor)])
    }

    /// Tell what a sensor is set to: ``DataLogStatus/parts``.
    public static func status(sensor: Int) -> FieldValue {
        BoardMessage.dataLog("GET", request: "status", parameters: [number("sensorId", sensor)])
    }

    /// Read a register of a sensor.
    public static func register(address: String) -> FieldValue {
        BoardMessage.dataLog("GET", request: "register", parameters: [.init("address", .text(address))])
    }

    /// Give the board a name.
    public static func set(alias: String) -> FieldValue {
        BoardMessage.dataLog("SET", request: "deviceInfo", parameters: [.init("alias", .text(alias))])
    }

    /// Let the board join a network, or leave it.
    public static func set(network: String, password: String, isEnabled: Bool) -> FieldValue {
        BoardMessage.dataLog(
            "SET", request: "network",
            parameters: [
                .init("ssid", .text(network)), .init("password", .text(password)), .init("enable", .bool(isEnabled)),
            ])
    }

    /// Set a mark, or take it away.
    public static func set(tag: Int, isHardware: Bool = false, isEnabled: Bool) -> FieldValue {
        BoardMessage.dataLog(
            "SET", request: isHardware ? "hw_tag" : "sw_tag",
            parameters: [number("ID", tag), .init("enable", .bool(isEnabled))])
    }

    /// Name a mark.
    public static func set(tag: Int, isHardware: Bool = false, label: String) -> FieldValue {
        BoardMessage.dataLog(
            "SET", request: isHardware ? "hw_tag_label" : "sw_tag_label",
            parameters: [number("ID", tag), .init("label", .text(label))])
    }

    /// Describe the acquisition that follows.
    public static func set(acquisition name: String, notes: String = "") -> FieldValue {
        BoardMessage.dataLog(
            "SET", request: "acq_info",
            parameters: [.init("name", .text(name)), .init("notes", .text(notes))])
    }

    /// Set up a part of a sensor; what is nil stays as it is.
    public static func set(
        sensor: Int, part: Int, isActive: Bool? = nil, rate: Double? = nil, fullScale: Double? = nil,
        samplesPerTime: Int? = nil
    ) -> FieldValue {
        func entry(_ member: FieldValue.Member) -> FieldValue { .object([number("id", part), member]) }
        var parts: [FieldValue] = []
        if let isActive { parts.append(entry(.init("isActive", .bool(isActive)))) }
        if let rate { parts.append(entry(.init("ODR", .number(rate)))) }
        if let fullScale { parts.append(entry(.init("FS", .number(fullScale)))) }
        if let samplesPerTime { parts.append(entry(number("samplesPerTs", samplesPerTime))) }
        return BoardMessage.dataLog(
            "SET", parameters: [number("sensorId", sensor), .init("subSensorStatus", .list(parts))])
    }

    /// Load a program into a sensor's machine learning core: the text of a UCF file.
    public static func set(sensor: Int, part: Int, program text: String) -> FieldValue {
        let digits = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("--") }
            // Each line is a word and two numbers, `Ac 01 80`: the numbers count.
            .map { $0.filter { !$0.isWhitespace }.dropFirst(2) }.joined()
        return BoardMessage.dataLog(
            "SET", request: "mlc_config",
            parameters: [
                number("sensorId", sensor),
                .init(
                    "subSensorStatus",
                    .list([
                        .object([
                            number("id", part), number("mlcConfigSize", digits.count),
                            .init("mlcConfigData", .text(digits)),
                        ])
                    ])),
            ])
    }

    private static func number(_ name: String, _ value: Int) -> FieldValue.Member {
        .init(name, FieldValue(integer: value))
    }
}

extension Node {
    /// Asks the data logger what the board has.
    ///
    /// - Throws: `BluetoothError` with `timedOut`, or `badData` when the answer describes no board.
    public func dataLogDevice(timeout: Duration = .seconds(5)) async throws(BluetoothError) -> DataLogDevice {
        let answer = try await ask(DataLog.device, of: .dataLogConfiguration, timeout: timeout)
        if let device = DataLogDevice(answer) { return device }
        throw BluetoothError(.badData, "data logger of \(name)", detail: "the answer describes no device")
    }

    /// Asks the data logger whether it logs.
    ///
    /// - Throws: `BluetoothError`.
    public func dataLogStatus(timeout: Duration = .seconds(5)) async throws(BluetoothError) -> DataLogStatus {
        DataLogStatus(try await ask(DataLog.status, of: .dataLogConfiguration, timeout: timeout))
    }
}
