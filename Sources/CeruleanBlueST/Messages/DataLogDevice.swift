// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A board that logs at high speed, as it describes itself: the answer to ``DataLog/device``. bluest.md §10.
///
/// What a board leaves out is nil or empty; nothing is made up.
/// ```swift
/// let device = try await node.dataLogDevice()
/// for part in device.sensors.flatMap(\.parts) { print(part.type, part.status.rate ?? 0) }
/// ```
public struct DataLogDevice: Hashable, Sendable {
    /// What the board is.
    public struct Info: Hashable, Sendable {
        /// The serial number.
        public var serialNumber: String
        /// The name that its user gave it.
        public var alias: String
        /// The board's type.
        public var partNumber: String?
        /// The firmware's name.
        public var firmwareName: String?
        /// The firmware's version.
        public var firmwareVersion: String?
        /// Where it is described.
        public var url: String?
        /// How files of data end.
        public var dataFileExtension: String?
        /// The format of files of data.
        public var dataFileFormat: String?
    }

    /// A sensor, which measures one thing or several.
    public struct Sensor: Hashable, Sendable {
        /// The number.
        public var id: Int
        /// The type, `LSM6DSO`.
        public var name: String
        /// What it measures.
        public var parts: [Part]
    }

    /// One thing that a sensor measures.
    public struct Part: Hashable, Sendable {
        /// The number in its sensor.
        public var id: Int
        /// `ACC`, `GYRO`, `MAG`, `TEMP`, `HUM`, `PRESS`, `MIC`, `MLC` …
        public var type: String
        /// Values in a sample.
        public var dimensions: Int
        /// Their names.
        public var labels: [String]
        /// The unit.
        public var unit: String?
        /// How a value is stored.
        public var dataType: String?
        /// Full scales to choose from.
        public var fullScales: [Double]
        /// Rates to choose from, in Hz.
        public var rates: [Double]
        /// Samples between two times: the least and the most.
        public var samplesPerTime: ClosedRange<Int>?
        /// What it is set to.
        public var status: Status
    }

    /// What a part of a sensor is set to.
    public struct Status: Hashable, Sendable {
        /// Whether it measures.
        public var isActive: Bool
        /// The rate in Hz.
        public var rate: Double?
        /// The rate as the board measured it.
        public var measuredRate: Double?
        /// Seconds until its first sample.
        public var initialOffset: Double?
        /// Samples between two times.
        public var samplesPerTime: Int?
        /// The full scale.
        public var fullScale: Double?
        /// What a count stands for.
        public var sensitivity: Double?
        /// Whether a program for the sensor's core is loaded.
        public var hasProgram: Bool
    }

    /// A mark that can be set during an acquisition.
    public struct Tag: Hashable, Sendable {
        /// The number.
        public var id: Int
        /// The name.
        public var label: String
        /// Whether it is set.
        public var isEnabled: Bool
        /// The pin that sets it; nil for one that a program sets.
        public var pin: String?
    }

    /// What it is.
    public var info: Info?
    /// Its sensors.
    public var sensors: [Sensor]
    /// Marks that programs set.
    public var softwareTags: [Tag]
    /// Marks that pins set.
    public var hardwareTags: [Tag]
    /// Marks in an acquisition at most.
    public var tagLimit: Int?

    /// Reads an answer: a whole device, or its information or tags alone. Nil if it holds none of them.
    public init?(_ answer: FieldValue) {
        let device = answer["device"] ?? answer
        guard device["deviceInfo"] != nil || device["sensor"] != nil || device["tagConfig"] != nil else { return nil }
        info = device["deviceInfo"].map(Info.init)
        sensors = device["sensor"].items.map(Sensor.init)
        softwareTags = device["tagConfig"]?["swTags"].items.map { Tag($0, hasPin: false) } ?? []
        hardwareTags = device["tagConfig"]?["hwTags"].items.map { Tag($0, hasPin: true) } ?? []
        tagLimit = device["tagConfig"]?["maxTagsPerAcq"].whole
    }
}

/// What a board says about an acquisition: the answer to ``DataLog/status``.
public struct DataLogStatus: Hashable, Sendable {
    /// Whether it logs.
    public var isLogging: Bool?
    /// Whether it has a memory card.
    public var hasCard: Bool?
    /// Load of the processor in percent.
    public var processorLoad: Double?
    /// In V.
    public var batteryVoltage: Double?
    /// In percent.
    public var batteryLevel: Double?
    /// The network that it is in.
    public var network: String?
    /// Its address there.
    public var address: String?
    /// The sensor that ``parts`` belong to.
    public var sensor: Int?
    /// What the parts of a sensor are set to.
    public var parts: [DataLogDevice.Status]

    /// Reads an answer.
    public init(_ answer: FieldValue) {
        isLogging = answer["isLogging"].flag
        hasCard = answer["isSDInserted"].flag
        processorLoad = answer["cpuUsage"].real
        batteryVoltage = answer["batteryVoltage"].real
        batteryLevel = answer["batteryLevel"].real
        network = answer["ssid"].text
        address = answer["ip"].text
        sensor = answer["sensorId"].whole
        parts = answer["sensorStatus"]?["subSensorStatus"].items.map { DataLogDevice.Status($0) } ?? []
    }
}

// MARK: - Reading

extension DataLogDevice.Info {
    init(_ value: FieldValue) {
        serialNumber = value["serialNumber"].text ?? ""
        alias = value["alias"].text ?? ""
        partNumber = value["partNumber"].text
        firmwareName = value["fwName"].text
        firmwareVersion = value["fwVersion"].text
        url = value["URL"].text
        dataFileExtension = value["dataFileExt"].text
        dataFileFormat = value["dataFileFormat"].text
    }
}

extension DataLogDevice.Sensor {
    init(_ value: FieldValue) {
        id = value["id"].whole ?? 0
        name = value["name"].text ?? ""
        let status = value["sensorStatus"]?["subSensorStatus"].items ?? []
        parts = (value["sensorDescriptor"]?["subSensorDescriptor"].items ?? []).enumerated().map { index, part in
            DataLogDevice.Part(part, index, status.indices.contains(index) ? status[index] : .null)
        }
    }
}

extension DataLogDevice.Part {
    init(_ value: FieldValue, _ index: Int, _ status: FieldValue) {
        id = value["id"].whole ?? index
        type = value["sensorType"].text ?? ""
        dimensions = value["dimensions"].whole ?? 1
        labels = value["dimensionsLabel"].items.compactMap { FieldValue?.some($0).text }
        unit = value["unit"].text
        dataType = value["dataType"].text
        fullScales = value["FS"].items.compactMap { FieldValue?.some($0).real }
        rates = value["ODR"].items.compactMap { FieldValue?.some($0).real }
        if let least = value["samplesPerTs"]?["min"].whole, let most = value["samplesPerTs"]?["max"].whole,
            least <= most
        {
            samplesPerTime = least...most
        }
        self.status = DataLogDevice.Status(status)
    }
}

extension DataLogDevice.Status {
    init(_ value: FieldValue) {
        isActive = value["isActive"].flag ?? false
        rate = value["ODR"].real
        measuredRate = value["ODRMeasured"].real
        initialOffset = value["initialOffset"].real
        samplesPerTime = value["samplesPerTs"].whole
        fullScale = value["FS"].real
        sensitivity = value["sensitivity"].real
        hasProgram = value["ucfLoaded"].flag ?? false
    }
}

extension DataLogDevice.Tag {
    init(_ value: FieldValue, hasPin: Bool) {
        id = value["id"].whole ?? 0
        label = value["label"].text ?? ""
        isEnabled = value["enabled"].flag ?? false
        pin = hasPin ? value["pinDesc"].text ?? "" : nil
    }
}

extension FieldValue? {
    var text: String? { if case .text(let text)? = self { text } else { nil } }
    var flag: Bool? { if case .bool(let flag)? = self { flag } else { nil } }
    var whole: Int? {
        switch self {
        case .integer(let number)?: Int(exactly: number)
        case .number(let number)?: Int(exactly: number)
        default: nil
        }
    }
    var real: Double? {
        switch self {
        case .integer(let number)?: Double(number)
        case .number(let number)?: number
        default: nil
        }
    }
    var items: [FieldValue] { if case .list(let values)? = self { values } else { [] } }
}
