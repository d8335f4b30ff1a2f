// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How far away a beacon seems to be, in classes.
public enum BeaconProximity: String, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown
    /// Less than half a meter.
    case immediate
    /// Up to 4 m.
    case near
    /// Farther.
    case far

    /// The class of a distance in meters; a negative one is unknown.
    public init(accuracy: Double) {
        self =
            switch accuracy {
            case 0..<0.5: .immediate
            case 0.5...4: .near
            case 4...: .far
            default: .unknown
            }
    }
}

/// Turns received strength into meters. All models are rough: both curves were measured with one phone each.
public struct DistanceModel: Hashable, Sendable {
    private enum Curve: Hashable, Sendable {
        case fit(factor: Double, exponent: Double, offset: Double)
        case pathLoss(exponent: Double)
    }

    private let curve: Curve

    /// The classic curve of Radius Networks; the default.
    public static let radius2013 = Self(curve: .fit(factor: 0.89976, exponent: 7.7095, offset: 0.111))
    /// The curve that the Android library uses now.
    public static let nexus5 = Self(curve: .fit(factor: 0.42093, exponent: 6.9476, offset: 0.54992))

    /// The logarithmic law of path loss.
    ///
    /// - Parameter exponent: 2 in free space, 2.5 to 4 indoors.
    public static func pathLoss(exponent: Double = 2) -> Self { Self(curve: .pathLoss(exponent: exponent)) }

    /// The distance in meters; -1 when it cannot be told: no strength (0), or a measured power of 0 dBm or more.
    public func accuracy(rssi: Double, measuredPower: Int) -> Double {
        guard rssi.isFinite, rssi != 0, measuredPower < 0 else { return -1 }
        switch curve {
        case .fit(let factor, let exponent, let offset):
            let ratio = rssi / Double(measuredPower)
            return ratio < 1 ? pow(max(0, ratio), 10) : factor * pow(ratio, exponent) + offset
        case .pathLoss(let exponent):
            guard exponent > 0 else { return -1 }
            return pow(10, (Double(measuredPower) - rssi) / (10 * exponent))
        }
    }
}
