// SPDX-License-Identifier: Apache-2.0

import Cerulean

extension StandardMeasurement {
    /// Milligrams per deciliter in one millimole per liter of glucose, by its molar mass of 180.156 g/mol.
    private static let milligramsInMillimole = 18.0156

    /// Records of a meter, with its own time: a row comes when it is sent, which may be days later.
    static var glucose: StandardMeasurement {
        let channels = [
            Channel(name: "sequenceNumber", quantity: .count, range: 0...65535),
            Channel(name: "glucose", unit: "mg/dL", range: 0...1000),
            Channel(name: "measured", quantity: .interval, unit: "s"), Channel(name: "status", quantity: .count),
        ]
        return StandardMeasurement(0x2A18, channels, recordNumber: 0) {
            { bytes in
                guard let value = try? GlucoseMeasurement(decoding: bytes) else { return nil }
                let number = value.concentration?.value ?? .nan
                let exact = value.isMolesPerLiter ? number * 1000 * milligramsInMillimole : number * 100_000
                // Binary fractions of decimal numbers.
                let glucose = (exact * 1e6).rounded() / 1e6
                let measured = value.baseTime.secondsSince1970.map { $0 + Double(value.timeOffset ?? 0) * 60 }
                return [
                    Double(value.sequenceNumber), glucose, measured ?? .nan, value.status.map(Double.init) ?? .nan,
                ]
            }
        }
    }

    /// Records of a continuous monitor, several in one value.
    static var glucoseMonitoring: StandardMeasurement {
        let channels = [
            Channel(name: "timeOffset", quantity: .interval, unit: "min", range: 0...65535),
            Channel(name: "glucose", unit: "mg/dL", range: 0...1000),
            Channel(name: "trend", unit: "mg/dL/min", range: -100...100),
            Channel(name: "quality", quantity: .ratio, unit: "%", range: 0...100),
            Channel(name: "status", quantity: .count),
        ]
        return StandardMeasurement(0x2AA7, channels, recordNumber: 0) {
            { bytes in
                guard let value = try? GlucoseMonitoringMeasurement(decoding: bytes) else { return nil }
                // A record whose checksum is wrong is none.
                let records = value.records.filter { $0.isChecksumValid != false }
                return records.flatMap { record in
                    [
                        Double(record.timeOffset), record.glucose.value ?? .nan, record.trend?.value ?? .nan,
                        record.quality?.value ?? .nan, record.status.map(Double.init) ?? .nan,
                    ]
                }
            }
        }
    }
}

extension DateTime {
    /// Seconds from 1970-01-01 on the device's own clock; nil where the date is not known.
    fileprivate var secondsSince1970: Double? {
        guard year > 0, month > 0, day > 0 else { return nil }
        // Days of the civil calendar, with years that begin in March.
        let civil: Int = month <= 2 ? Int(year) - 1 : Int(year)
        let monthFromMarch: Int = (Int(month) + 9) % 12
        var days: Int = civil * 365
        days += civil / 4
        days -= civil / 100
        days += civil / 400
        days += (153 * monthFromMarch + 2) / 5
        days += Int(day) - 719_469
        var time: Int = Int(hours) * 3600
        time += Int(minutes) * 60
        time += Int(seconds)
        return Double(days * 86_400 + time)
    }
}
