// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

private let ruuvi: UInt16 = 0x0499

/// Acceleration along three axes in thousandths of the earth's; nil where the sensor does not know.
public struct Acceleration: Hashable, Sendable {
    /// Along x.
    public var x: Int16?
    /// Along y.
    public var y: Int16?
    /// Along z; about 1000 when the device lies flat.
    public var z: Int16?

    /// Three values.
    public init(x: Int16? = nil, y: Int16? = nil, z: Int16? = nil) {
        self.x = x
        self.y = y
        self.z = z
    }

    var field: FieldValue {
        [FieldValue(optional: x), FieldValue(optional: y), FieldValue(optional: z)]
    }
}

/// What a RuuviTag measures, in data format 3 ("RAWv1"): everything is always known.
public struct RuuviFormat3: AdvertisableBeacon {
    /// Relative humidity in percent, 0 to 127.5 in steps of 0.5.
    public var humidity: Double
    /// In degrees Celsius, -127.99 to 127.99 in steps of 0.01.
    public var temperature: Double
    /// In Pa, 50000 to 115535.
    public var pressure: UInt32
    /// Acceleration.
    public var acceleration: Acceleration
    /// The battery in mV.
    public var battery: UInt16

    /// A measurement.
    public init(
        humidity: Double, temperature: Double, pressure: UInt32, acceleration: Acceleration, battery: UInt16
    ) {
        self.humidity = humidity
        self.temperature = temperature
        self.pressure = pressure
        self.acceleration = acceleration
        self.battery = battery
    }

    /// Reads manufacturer data of at least 14 octets behind the company 0499. Nil when it is no such frame.
    public init?(company: UInt16, data: [UInt8]) {
        guard company == ruuvi, data.count >= 14, data[0] == 0x03 else { return nil }
        let octets = BigEndianOctets(data)
        // Sign and magnitude: -0.31 °C is 80 1F.
        let magnitude = (Double(octets.u8(2) & 0x7F) * 100 + Double(octets.u8(3))) / 100
        self.init(
            humidity: Double(octets.u8(1)) / 2, temperature: octets.u8(2) & 0x80 == 0 ? magnitude : -magnitude,
            pressure: 50_000 + UInt32(octets.u16(4)),
            acceleration: Acceleration(x: octets.i16(6), y: octets.i16(8), z: octets.i16(10)), battery: octets.u16(12))
    }

    /// `ruuvi-3`.
    public var kind: String { "ruuvi-3" }

    /// `humidity_pct`, `temperature_c`, `pressure_pa`, `accel_mg`, `battery_mv`.
    public var members: [FieldValue.Member] {
        [
            .init("humidity_pct", .number(humidity)), .init("temperature_c", .number(temperature)),
            .init("pressure_pa", FieldValue(integer: pressure)), .init("accel_mg", acceleration.field),
            .init("battery_mv", FieldValue(integer: battery)),
        ]
    }

    /// Manufacturer data.
    ///
    /// - Throws: `WireError` `.invalid` for a value out of range; an unknown acceleration is one.
    public func element() throws(WireError) -> AdvertisingData.Element {
        let moisture: UInt8 = try steps("humidity", humidity, per: 0.5, in: 0...255)
        let hundredths: Int = try steps("temperature", temperature, per: 0.01, in: -12_799...12_799)
        guard let level = UInt16(exactly: Int64(pressure) - 50_000) else { throw .invalid("pressure", at: 0) }
        guard let x = acceleration.x, let y = acceleration.y, let z = acceleration.z else {
            throw .invalid("acceleration", at: 0)
        }
        let whole = UInt8(abs(hundredths) / 100) | (hundredths < 0 ? 0x80 : 0)
        var data: [UInt8] = [0x03, moisture, whole, UInt8(abs(hundredths) % 100)]
        data += level.bigEndianOctets + x.bigEndianOctets + y.bigEndianOctets + z.bigEndianOctets
        return .manufacturerData(company: ruuvi, data + battery.bigEndianOctets)
    }
}

/// What a RuuviTag measures, in data format 5 ("RAWv2"). What a tag does not know is nil.
public struct RuuviFormat5: AdvertisableBeacon {
    /// In degrees Celsius, -163.835 to 163.835 in steps of 0.005.
    public var temperature: Double?
    /// Relative humidity in percent, 0 to 163.835 in steps of 0.0025.
    public var humidity: Double?
    /// In Pa, 50000 to 115534.
    public var pressure: UInt32?
    /// Acceleration.
    public var acceleration: Acceleration
    /// The battery in mV, 1600 to 3646.
    public var battery: UInt16?
    /// Transmit power in dBm, -40 to 20 in steps of 2.
    public var txPower: Int8?
    /// How often the tag was moved, 0 to 254, then from 0 again.
    public var movements: UInt8?
    /// The number of the measurement, 0 to 65534, then from 0 again.
    public var sequence: UInt16?
    /// The tag's address.
    public var address: BluetoothAddress?

    /// A measurement.
    public init(
        temperature: Double? = nil, humidity: Double? = nil, pressure: UInt32? = nil,
        acceleration: Acceleration = Acceleration(), battery: UInt16? = nil, txPower: Int8? = nil,
        movements: UInt8? = nil, sequence: UInt16? = nil, address: BluetoothAddress? = nil
    ) {
        self.temperature = temperature
        self.humidity = humidity
        self.pressure = pressure
        self.acceleration = acceleration
        self.battery = battery
        self.txPower = txPower
        self.movements = movements
        self.sequence = sequence
        self.address = address
    }

    /// Reads manufacturer data of at least 24 octets behind the company 0499. Nil when it is no such frame.
    public init?(company: UInt16, data: [UInt8]) {
        guard company == ruuvi, data.count >= 24, data[0] == 0x05 else { return nil }
        let octets = BigEndianOctets(data)
        func signed(_ offset: Int) -> Int16? { octets.u16(offset) == 0x8000 ? nil : octets.i16(offset) }
        func unsigned(_ offset: Int) -> UInt16? { octets.u16(offset) == 0xFFFF ? nil : octets.u16(offset) }
        let power = octets.u16(13)
        let mac = octets.bytes(18, 6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(
            temperature: signed(1).map { Double($0) / 200 }, humidity: unsigned(3).map { Double($0) / 400 },
            pressure: unsigned(5).map { 50_000 + UInt32($0) },
            acceleration: Acceleration(x: signed(7), y: signed(9), z: signed(11)),
            battery: power >> 5 == 0x7FF ? nil : 1600 + power >> 5,
            txPower: power & 31 == 31 ? nil : Int8(truncatingIfNeeded: Int(power & 31) * 2 - 40),
            movements: octets.u8(15) == 0xFF ? nil : octets.u8(15), sequence: unsigned(16),
            address: mac == 0xFFFF_FFFF_FFFF ? nil : BluetoothAddress(rawValue: mac))
    }

    /// `ruuvi-5`.
    public var kind: String { "ruuvi-5" }

    /// `temperature_c`, `humidity_pct`, `pressure_pa`, `accel_mg`, `battery_mv`, `tx_power_dbm`, `movement`, `sequence`, `mac`.
    public var members: [FieldValue.Member] {
        [
            .init("temperature_c", FieldValue(optional: temperature)),
            .init("humidity_pct", FieldValue(optional: humidity)),
            .init("pressure_pa", FieldValue(optional: pressure)), .init("accel_mg", acceleration.field),
            .init("battery_mv", FieldValue(optional: battery)), .init("tx_power_dbm", FieldValue(optional: txPower)),
            .init("movement", FieldValue(optional: movements)), .init("sequence", FieldValue(optional: sequence)),
            .init("mac", address.map { .text($0.description) } ?? .null),
        ]
    }

    /// Manufacturer data.
    ///
    /// - Throws: `WireError` `.invalid` for a value out of range.
    public func element() throws(WireError) -> AdvertisingData.Element {
        var data: [UInt8] = [0x05]
        var heat = Int16.min
        if let temperature { heat = try steps("temperature", temperature, per: 0.005, in: -0x7FFF...0x7FFF) }
        var moisture = UInt16.max
        if let humidity { moisture = try steps("humidity", humidity, per: 0.0025, in: 0...0xFFFE) }
        var level = UInt16.max
        if let pressure {
            guard let value = UInt16(exactly: Int64(pressure) - 50_000), value < .max else {
                throw .invalid("pressure", at: 0)
            }
            level = value
        }
        data += heat.bigEndianOctets + moisture.bigEndianOctets + level.bigEndianOctets
        for axis in [acceleration.x, acceleration.y, acceleration.z] {
            guard axis != .min else { throw .invalid("acceleration", at: 0) }
            data += (axis ?? .min).bigEndianOctets
        }
        guard battery.map({ (1600...3646).contains($0) }) ?? true else { throw .invalid("battery", at: 0) }
        guard txPower.map({ (-40...20).contains($0) && $0 % 2 == 0 }) ?? true else { throw .invalid("power", at: 0) }
        let power = (battery.map { $0 - 1600 } ?? 0x7FF) << 5 | UInt16(txPower.map { (Int($0) + 40) / 2 } ?? 31)
        guard movements != .max else { throw .invalid("movements", at: 0) }
        guard sequence != .max else { throw .invalid("sequence number", at: 0) }
        data += power.bigEndianOctets + [movements ?? .max] + (sequence ?? .max).bigEndianOctets
        let mac = address?.rawValue ?? 0xFFFF_FFFF_FFFF
        return .manufacturerData(company: ruuvi, data + mac.bigEndianOctets.suffix(6))
    }
}
