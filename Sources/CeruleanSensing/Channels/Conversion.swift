// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How raw values become a physical quantity, as data: it can be stored, compared and written into a file.
///
/// ```swift
/// let celsius = Conversion(name: "TMP", unit: "degC", formula: .linear(slope: 0.01, intercept: -50))
/// celsius(2_500)   // -25
/// ```
public struct Conversion: Hashable, Sendable {
    /// The formula with its constants.
    public enum Formula: Hashable, Sendable {
        /// `slope · raw + intercept`.
        case linear(slope: Double, intercept: Double)
        /// `c0 + c1 · raw + c2 · raw² …`; no coefficient means 0.
        case polynomial([Double])
        /// A thermistor in a voltage divider (Steinhart and Hart): with `r = raw / fullScale` the resistance is
        /// `R = series · r / (1 - r)` and the result `1 / (a0 + a1 ln R + a2 (ln R)³) - 273.15` °C.
        case thermistor(fullScale: Double, series: Double, a0: Double, a1: Double, a2: Double)
    }

    /// The name of the sensor, `ECG`.
    public var name: String
    /// The unit of the result, `mV`.
    public var unit: String
    /// The range that the maker states for the result, where known.
    public var range: ClosedRange<Double>?
    /// The formula.
    public var formula: Formula

    /// Describes a conversion.
    public init(name: String, unit: String, range: ClosedRange<Double>? = nil, formula: Formula) {
        self.name = name
        self.unit = unit
        self.range = range
        self.formula = formula
    }

    /// The physical value of a raw one; not a number where the formula has no value.
    public func callAsFunction(_ raw: Double) -> Double {
        switch formula {
        case .linear(let slope, let intercept): return slope * raw + intercept
        case .polynomial(let coefficients): return coefficients.reversed().reduce(0) { $0 * raw + $1 }
        case .thermistor(let fullScale, let series, let a0, let a1, let a2):
            let ratio = raw / fullScale
            guard ratio > 0, ratio < 1 else { return .nan }
            let logarithm = log(series * ratio / (1 - ratio))
            return 1 / (a0 + a1 * logarithm + a2 * logarithm * logarithm * logarithm) - 273.15
        }
    }
}
