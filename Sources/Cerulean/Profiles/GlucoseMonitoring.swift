// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Continuous Glucose Monitoring Service (181F).
public enum GlucoseMonitoring: ServiceProfile {
    /// 181F.
    public static let uuid: BluetoothUUID = 0x181F
    /// Measurements, several in one value (2AA7).
    public static let measurement = CharacteristicProfile<GlucoseMonitoringMeasurement>(0x2AA7, .notify)
    /// Asks for the records that the sensor keeps (2A52).
    public static let recordAccess = CharacteristicProfile<RecordAccess>(0x2A52, [.write, .indicate])
    /// The state of the sensor (2AA9).
    public static let status = CharacteristicProfile<GlucoseMonitoringStatus>(0x2AA9, .read)
    /// When the session began (2AAA).
    public static let sessionStart = CharacteristicProfile<GlucoseMonitoringSessionStart>(0x2AAA, [.read, .write])

    /// The checksum that sensors with the feature put behind each record: polynomial 8408 hexadecimal, reflected, from FFFF.
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var sum: UInt16 = 0xFFFF
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x8408 : sum >> 1 }
        }
        return sum
    }

    /// Session, time and limits, one bit each.
    static func words(_ status: UInt32) -> FieldValue { FlagWords.list(status, statusWords) }

    private static let statusWords: [(Int, String)] = [
        (0, "sessionStopped"), (1, "deviceBatteryLow"), (2, "sensorTypeIncorrect"), (3, "sensorMalfunction"),
        (4, "deviceSpecificAlert"), (5, "generalDeviceFault"), (8, "timeSyncRequired"), (9, "calibrationNotAllowed"),
        (10, "calibrationRecommended"), (11, "calibrationRequired"), (12, "temperatureTooHigh"),
        (13, "temperatureTooLow"), (14, "calibrationPending"), (16, "belowPatientLow"), (17, "abovePatientHigh"),
        (18, "belowHypo"), (19, "aboveHyper"), (20, "decreaseExceeded"), (21, "increaseExceeded"),
        (22, "belowDeviceRange"), (23, "aboveDeviceRange"),
    ]
}

/// Measurements of a continuous glucose monitor (2AA7).
public struct GlucoseMonitoringMeasurement: ListedValue, Hashable {
    /// One record.
    public struct Record: Hashable, Sendable {
        /// Milligrams per deciliter.
        public var glucose = MedicalFloat(.notANumber)
        /// Minutes since the session began.
        public var timeOffset: UInt16 = 0
        /// Session and device in bits 0 to 7, calibration and temperature in 8 to 15, limits in 16 to 23.
        public var status: UInt32?
        /// Milligrams per deciliter and minute.
        public var trend: MedicalFloat?
        /// Percent.
        public var quality: MedicalFloat?
        /// Whether the checksum was right; nil without one. Writing makes a right one unless this is nil.
        public var isChecksumValid: Bool?
        /// Not a number.
        public init() {}
    }

    /// The records, oldest first.
    public var records: [Record] = []

    /// No record.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        if coder.isReading {
            records = []
            // A value without a record is none.
            repeat {
                do {
                    records.append(try Self.read(&coder))
                } catch {
                    coder.removeMembers()
                    if !records.isEmpty { coder.list("records", .list(records.map(Self.fieldValue))) }
                    throw error
                }
            } while coder.remaining > 0
        } else if coder.isWriting {
            for record in records {
                var octets = try Self.encode(record)
                try coder.octets("records", &octets, count: octets.count)
            }
        }
        coder.removeMembers()
        coder.list("records", .list(records.map(Self.fieldValue)))
    }

    private static func read(_ coder: inout ValueCoder) throws(WireError) -> Record {
        let start = coder.position
        var record = Record()
        var size: UInt8 = 0
        var flags: UInt8 = 0
        try coder.integer("size", &size)
        guard size >= 6 else { throw .invalid("size", at: start) }
        guard coder.remaining >= Int(size) - 1 else { throw WireError(offset: start, reason: .truncated) }
        let end = start + Int(size)
        func need(_ octets: Int) throws(WireError) {
            guard end - coder.position >= octets else { throw WireError(offset: coder.position, reason: .truncated) }
        }
        try coder.integer("flags", &flags)
        try coder.medical("glucose", &record.glucose)
        try coder.integer("timeOffsetMinutes", &record.timeOffset)
        // The octets come as Status, Cal/Temp, Warning: bits 7, 6, 5 of the flags.
        for (bit, shift) in [(7, UInt32(0)), (6, 8), (5, 16)] where flags >> UInt8(bit) & 1 == 1 {
            var octet: UInt8 = 0
            try need(1)
            try coder.integer("status", &octet)
            record.status = (record.status ?? 0) | UInt32(octet) << shift
        }
        if flags & 1 == 1 {
            var value = MedicalFloat(.notANumber)
            try need(2)
            try coder.medical("trend", &value)
            record.trend = value
        }
        if flags & 2 == 2 {
            var value = MedicalFloat(.notANumber)
            try need(2)
            try coder.medical("quality", &value)
            record.quality = value
        }
        if end - coder.position == 2 {
            let expected = GlucoseMonitoring.checksum(coder.bytes[start..<coder.position])
            var sum: UInt16 = 0
            try coder.integer("checksum", &sum)
            record.isChecksumValid = sum == expected
        }
        var rest: [UInt8] = []
        try coder.octets("rest", &rest, count: end - coder.position)
        return record
    }

    private static func encode(_ record: Record) throws(WireError) -> [UInt8] {
        var coder = ValueCoder.writing()
        var record = record
        let status = record.status ?? 0
        var flags: UInt8 = (record.trend == nil ? 0 : 1) | (record.quality == nil ? 0 : 2)
        if status & 0xFF != 0 { flags |= 0x80 }
        if status >> 8 & 0xFF != 0 { flags |= 0x40 }
        if status >> 16 & 0xFF != 0 { flags |= 0x20 }
        // A status of nothing at all is still sent.
        if record.status == 0 { flags |= 0x80 }
        try coder.integer("flags", &flags)
        try coder.medical("glucose", &record.glucose)
        try coder.integer("timeOffsetMinutes", &record.timeOffset)
        for (bit, shift) in [(7, UInt32(0)), (6, 8), (5, 16)] where flags >> UInt8(bit) & 1 == 1 {
            var octet = UInt8(truncatingIfNeeded: status >> shift)
            try coder.integer("status", &octet)
        }
        if var trend = record.trend { try coder.medical("trend", &trend) }
        if var quality = record.quality { try coder.medical("quality", &quality) }
        let hasChecksum = record.isChecksumValid != nil
        var bytes = [UInt8(coder.bytes.count + (hasChecksum ? 3 : 1))] + coder.bytes
        if hasChecksum {
            let sum = GlucoseMonitoring.checksum(bytes)
            bytes += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
        }
        return bytes
    }

    private static func fieldValue(_ record: Record) -> FieldValue {
        [
            "glucose": record.glucose.fieldValue, "timeOffsetMinutes": FieldValue(integer: record.timeOffset),
            "status": record.status.map(GlucoseMonitoring.words) ?? .null,
            "trend": record.trend?.fieldValue ?? .null, "quality": record.quality?.fieldValue ?? .null,
            "crcValid": record.isChecksumValid.map { .bool($0) } ?? .null,
        ]
    }
}

/// The state of a continuous glucose monitor (2AA9).
public struct GlucoseMonitoringStatus: ListedValue, Hashable {
    /// Minutes since the session began.
    public var timeOffset: UInt16 = 0
    /// As in a record; 24 bits.
    public var status: UInt32 = 0
    /// Whether the checksum was right; nil without one.
    public var isChecksumValid: Bool?

    /// Nothing wrong.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.integer("timeOffsetMinutes", &timeOffset)
        try coder.integer("status", &status, octets: 3)
        coder.relist("status", GlucoseMonitoring.words(status))
        try coder.checksum(&isChecksumValid)
    }
}

/// When a session of a continuous glucose monitor began (2AAA).
public struct GlucoseMonitoringSessionStart: ListedValue, Hashable {
    /// Local time.
    public var dateTime = DateTime()
    /// Where that is.
    public var local = LocalTimeInformation()
    /// Whether the checksum was right; nil without one.
    public var isChecksumValid: Bool?

    /// Not known.
    public init() {}

    /// Lists the fields in the order of the octets.
    public mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
        try coder.dateTime("dateTime", &dateTime)
        try local.visit(&coder)
        try coder.checksum(&isChecksumValid)
    }
}

extension ValueCoder {
    /// A checksum over everything before it, if two octets are left.
    fileprivate mutating func checksum(_ isValid: inout Bool?) throws(WireError) {
        let expected = GlucoseMonitoring.checksum(bytes.prefix(position))
        if isReading { isValid = nil }
        if remaining >= 2 || isWriting && isValid != nil {
            var sum = expected
            try integer("crcValid", &sum)
            if isReading { isValid = sum == expected }
            relist("crcValid", .bool(isValid ?? true))
        } else {
            list("crcValid", isValid.map { .bool($0) } ?? .null)
        }
    }
}
