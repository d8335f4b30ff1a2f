// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing

extension BITalino {
    /// A sensor that can be plugged into a board: its transfer function as data. Section 11 of the protocol notes.
    ///
    /// Other programs use other constants for some sensors; make a copy with your own gain, or a sensor of your own.
    ///
    /// ```swift
    /// let ecg = BITalino.Sensor.ecg.conversion(bits: 10)
    /// ecg(512)   // 0 mV
    /// ```
    public struct Sensor: Hashable, Sendable {
        /// The transfer function; `r` is the reading divided by 2ⁿ, with n bits.
        public enum Transfer: Hashable, Sendable {
            /// `(r - 1/2) · 3.3 V / gain`, times `scale` to reach the unit: 1000 for mV, 1,000,000 for µV.
            case amplifier(gain: Double, scale: Double)
            /// `(r - offset) · factor`.
            case ratio(offset: Double, factor: Double)
            /// `(r · 3.3 V - offset) · factor`.
            case voltage(offset: Double, factor: Double)
            /// `2 (raw - least) / (greatest - least) - 1`, from a calibration with that many bits.
            case calibrated(least: Double, greatest: Double)
            /// `factor · 2^(10 - n) · raw + offset`: a reader that speaks in steps of a 10-bit value.
            case steps(factor: Double, offset: Double)
            /// A thermistor under a resistor of `series` ohm, with the coefficients of Steinhart and Hart.
            case thermistor(series: Double, a0: Double, a1: Double, a2: Double)
        }

        /// The name, `ECG`.
        public var name: String
        /// What is measured.
        public var quantity: Quantity
        /// The unit, `mV`.
        public var unit: String
        /// The range that the maker states, where known.
        public var range: ClosedRange<Double>?
        /// The transfer function.
        public var transfer: Transfer
        /// The code of the sensor in OpenSignals files, where one is known.
        public var code: String?

        /// Describes a sensor.
        public init(
            name: String, quantity: Quantity, unit: String, range: ClosedRange<Double>? = nil, transfer: Transfer,
            code: String? = nil
        ) {
            self.name = name
            self.quantity = quantity
            self.unit = unit
            self.range = range
            self.transfer = transfer
            self.code = code
        }

        /// The reference voltage of a BITalino in volts.
        public static let supply = 3.3

        /// The conversion of raw values with `bits` bits: 10, or 6 in the fifth and sixth position of a frame.
        public func conversion(bits: Int) -> Conversion {
            let full = Double(1 << min(max(bits, 1), 32))
            let formula: Conversion.Formula
            switch transfer {
            case .amplifier(let gain, let scale):
                let span = Self.supply / gain * scale
                formula = .linear(slope: span / full, intercept: -span / 2)
            case .ratio(let offset, let factor):
                formula = .linear(slope: factor / full, intercept: -offset * factor)
            case .voltage(let offset, let factor):
                formula = .linear(slope: Self.supply * factor / full, intercept: -offset * factor)
            case .calibrated(let least, let greatest):
                let slope = 2 / (greatest - least)
                formula = .linear(slope: slope, intercept: -slope * least - 1)
            case .steps(let factor, let offset):
                formula = .linear(slope: factor * 1024 / full, intercept: offset)
            case .thermistor(let series, let a0, let a1, let a2):
                formula = .thermistor(fullScale: full, series: series, a0: a0, a1: a1, a2: a2)
            }
            return Conversion(name: name, unit: unit, range: range, formula: formula)
        }
    }
}

extension BITalino.Sensor {
    /// Electrocardiogram, gain 1100.
    public static let ecg = Self(
        name: "ECG", quantity: .voltage, unit: "mV", range: -1.5...1.5, transfer: .amplifier(gain: 1100, scale: 1e3),
        code: "ECGBITREV")
    /// Electromyogram, gain 1009.
    public static let emg = Self(
        name: "EMG", quantity: .voltage, unit: "mV", range: -1.64...1.64, transfer: .amplifier(gain: 1009, scale: 1e3),
        code: "EMGBITREV")
    /// Electrodermal activity.
    public static let eda = Self(
        name: "EDA", quantity: .conductance, unit: "uS", range: 0...25,
        transfer: .voltage(offset: 0, factor: 1 / 0.132),
        code: "EDABITREV")
    /// Electroencephalogram with another gain than ``eeg``; nil unless it is a number above zero.
    public static func eeg(gain: Double) -> Self? {
        gain > 0 && gain.isFinite ? amplifiedEEG(gain) : nil
    }
    private static func amplifiedEEG(_ gain: Double) -> Self {
        Self(
            name: "EEG", quantity: .voltage, unit: "uV", range: -1.65e6 / gain...1.65e6 / gain,
            transfer: .amplifier(gain: gain, scale: 1e6))
    }
    /// Electroencephalogram, gain 40,000. Later boards have 41,782.
    public static let eeg = amplifiedEEG(40000)
    /// Electrooculogram, gain 2040.
    public static let eog = Self(
        name: "EOG", quantity: .voltage, unit: "mV", range: -0.81...0.81, transfer: .amplifier(gain: 2040, scale: 1e3))
    /// Electrogastrogram, gain 6110.
    public static let egg = Self(
        name: "EGG", quantity: .voltage, unit: "mV", range: -0.27...0.27, transfer: .amplifier(gain: 6110, scale: 1e3))
    /// One axis of the accelerometer; `least` and `greatest` are the readings at -1 g and 1 g with the bits in use: with 10
    /// bits 400 and 608 unless calibrated, with 6 bits 25 and 38.
    public static func accelerometer(least: Double = 400, greatest: Double = 608) -> Self {
        Self(
            name: "ACC", quantity: .acceleration, unit: "g", range: -3...3,
            transfer: .calibrated(least: least, greatest: greatest))
    }
    /// Light.
    public static let light = Self(
        name: "LUX", quantity: .light, unit: "%", range: 0...100, transfer: .ratio(offset: 0, factor: 100))
    /// Breathing, by the piezoelectric belt (PZT) or the inductive one (RIP).
    public static let breathing = Self(
        name: "PZT", quantity: .ratio, unit: "%", range: -50...50, transfer: .ratio(offset: 0.5, factor: 100))
    /// Temperature, analog sensor.
    public static let temperature = Self(
        name: "TMP", quantity: .temperature, unit: "degC", range: -40...125,
        transfer: .voltage(offset: 0.5, factor: 100))
    /// Temperature, thermistor.
    public static let thermistor = Self(
        name: "NTC", quantity: .temperature, unit: "degC", range: 0...50,
        transfer: .thermistor(series: 1e4, a0: 1.12764514e-3, a1: 2.34282709e-4, a2: 8.77303013e-8))
    /// Readers of oxygen saturation, blood pressure and glucose (OSL, BPR, GMR).
    public static let reader = Self(
        name: "OSL/BPR/GMR", quantity: .count, unit: "count", transfer: .steps(factor: 0.25, offset: -0.8))
    /// Pulse, force and other sensors without a published formula: percent of full scale.
    public static let custom = Self(
        name: "CUSTOM", quantity: .ratio, unit: "%", range: 0...100, transfer: .ratio(offset: 0, factor: 100))
    /// The battery of a state reply, behind a divider by two.
    public static let battery = Self(
        name: "ABAT", quantity: .voltage, unit: "V", transfer: .voltage(offset: 0, factor: 2))

    /// The sensor of a name used in section 11 of the protocol notes or in OpenSignals files; compares without case.
    public static func named(_ name: String) -> Self? {
        switch name.uppercased() {
        case "ECG", "ECGBIT", "ECGBITREV": ecg
        case "EMG", "EMGBIT", "EMGBITREV": emg
        case "EDA", "EDABIT", "EDABITREV": eda
        case "EEG", "EEGBIT", "EEGBITREV": eeg
        case "EOG": eog
        case "EGG": egg
        case "ACC": accelerometer()
        case "LUX": light
        case "PZT", "RIP", "RESP", "RESPBIT": breathing
        case "TMP": temperature
        case "NTC": thermistor
        case "OSL", "BPR", "GMR", "OSL/BPR/GMR": reader
        case "BVP", "PULSE", "FSR", "CUSTOM": custom
        case "ABAT": battery
        default: nil
        }
    }
}
