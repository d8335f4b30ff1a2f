// SPDX-License-Identifier: Apache-2.0

import CeruleanSensing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How the values of a channel become the 16-bit numbers of an EDF file, and what the file says of them.
///
/// Whole numbers of up to 16 bits stay themselves (shifted, where they do not fit), so that they come back equal;
/// where the
/// conversion of the sensor is a straight line, the file's physical values are the converted ones. Other values are
/// spread over the
/// 16 bits of the channel's range.
struct EDFScale: Hashable {
    var label: String
    var unit: String
    var physical: ClosedRange<Double>
    /// True if the least digital number stands for the greatest physical value.
    var isInverted = false
    var digital: ClosedRange<Int>
    /// What is added to a value before it is written; nil where values are spread.
    private var offset: Double?
    private var slope = 1.0

    init(_ channel: Channel, label: String) {
        self.label = label
        if let range = channel.range, channel.resolution != nil || channel.role != .value,
            range.lowerBound == range.lowerBound.rounded(), range.upperBound == range.upperBound.rounded(),
            range.upperBound - range.lowerBound <= 65535, range.upperBound > range.lowerBound,
            abs(range.lowerBound) < 1e9
        {
            let fits = range.lowerBound >= -32768 && range.upperBound <= 32767
            let shift = fits ? 0 : -32768 - range.lowerBound
            offset = shift
            digital = Int(range.lowerBound + shift)...Int(range.upperBound + shift)
            if case .linear(let slope, let intercept)? = channel.conversion?.formula, slope != 0, slope.isFinite {
                let ends = [range.lowerBound * slope + intercept, range.upperBound * slope + intercept]
                physical = min(ends[0], ends[1])...max(ends[0], ends[1])
                isInverted = slope < 0
                unit = Self.ascii(channel.conversion?.unit ?? "")
            } else {
                physical = range
                unit = Self.ascii(channel.unit)
            }
            return
        }
        let range = channel.range ?? Self.usual(channel.quantity)
        physical =
            Self.rounded(range.lowerBound)...max(Self.rounded(range.upperBound), Self.rounded(range.lowerBound) + 1)
        digital = -32768...32767
        unit = Self.ascii(channel.unit)
        slope = 65535 / (physical.upperBound - physical.lowerBound)
    }

    /// The number for a value, and whether it had to be held within the range.
    func number(_ value: Double) -> (number: Int32, isClipped: Bool) {
        let exact: Double
        if let offset { exact = value + offset } else { exact = (value - physical.lowerBound) * slope - 32768 }
        let whole = exact.rounded()
        let held = min(max(whole, Double(digital.lowerBound)), Double(digital.upperBound))
        return (Int32(held), held != whole)
    }

    /// The number nearest to zero, for a channel that has had no value yet.
    var zero: Int32 { number(0).number }

    // MARK: - Private

    /// Eight characters of the header must hold it.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return 0 }
        let digits = 5 - Int(log10(abs(value)).rounded(.down))
        let power = pow(10, Double(min(max(digits, 0), 5)))
        return (min(max(value, -9_999_999), 9_999_999) * power).rounded() / power
    }

    private static func usual(_ quantity: Quantity) -> ClosedRange<Double> {
        switch quantity {
        case .logicLevel: 0...1
        case .acceleration: -16...16
        case .angularVelocity: -2000...2000
        case .magneticField: -5000...5000
        case .temperature: -100...300
        case .humidity: -10...120
        case .pressure: 0...2000
        case .heartRate: 0...300
        case .ratio: 0...100
        case .interval: 0...10
        default: -32768...32767
        }
    }

    /// Units as EDF writes them: ASCII, eight characters.
    static func ascii(_ unit: String) -> String {
        var text = ""
        for scalar in unit.unicodeScalars {
            switch scalar {
            case "°": text += "deg"
            case "µ", "μ": text += "u"
            case "Ω": text += "Ohm"
            case "²": text += "^2"
            case "\u{20}"..."\u{7E}": text.unicodeScalars.append(scalar)
            default: text += "?"
            }
        }
        return String(text.prefix(8))
    }

    /// Labels of at most 16 characters, each once: long names lose what stands in the middle.
    static func labels(_ names: [String]) -> [String] {
        var labels: [String] = []
        for name in names {
            let plain = String(name.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "_" })
            var label = String(plain.prefix(16))
            if plain.count > 16, let dot = plain.lastIndex(of: ".") {
                let tail = String(plain[dot...].prefix(8))
                label = String(plain.prefix(16 - tail.count)) + tail
            }
            var number = 2
            while labels.contains(label) || label.isEmpty {
                let tail = "~\(number)"
                label = String(plain.prefix(16 - tail.count)) + tail
                number += 1
            }
            labels.append(label)
        }
        return labels
    }
}
