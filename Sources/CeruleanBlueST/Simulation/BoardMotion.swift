// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How a simulated board moves: it turns about the vertical and sways, all smooth and known at every moment, so that
/// acceleration, angular velocity, magnetic field and orientation agree.
///
/// The world's z points up and its x to magnetic north; quaternions turn the board's axes into the world's.
public struct BoardMotion: Hashable, Sendable {
    /// Turns a second about the vertical.
    public var turnRate = 0.05
    /// Greatest inclination of each swaying, in radians.
    public var sway = 0.35
    /// Swayings a second.
    public var swayRate = 0.2
    /// Steps a second of whoever wears the board.
    public var stepRate = 1.6
    /// The magnetic field in mGa: north, west, up.
    public var field = SIMD3<Double>(220, 0, -420)

    /// A board that turns once in 20 s.
    public init() {}

    /// Yaw, pitch and roll in radians, with their derivatives.
    private func angles(_ t: Double) -> (angles: SIMD3<Double>, rates: SIMD3<Double>) {
        let w = 2 * Double.pi * swayRate
        let v = w * 0.7
        return (
            SIMD3(2 * .pi * turnRate * t, sway * sin(w * t), sway * 0.6 * sin(v * t + 1)),
            SIMD3(2 * .pi * turnRate, sway * w * cos(w * t), sway * 0.6 * v * cos(v * t + 1))
        )
    }

    /// The orientation at `t` seconds: yaw about z, then pitch about y, then roll about x.
    public func orientation(_ t: Double) -> Quaternion {
        let half = angles(t).angles / 2
        let (cy, sy) = (cos(half.x), sin(half.x))
        let (cp, sp) = (cos(half.y), sin(half.y))
        let (cr, sr) = (cos(half.z), sin(half.z))
        let q = Quaternion(
            i: sr * cp * cy - cr * sp * sy, j: cr * sp * cy + sr * cp * sy, k: cr * cp * sy - sr * sp * cy,
            s: cr * cp * cy + sr * sp * sy)
        // Three-number forms cannot tell a negative scalar part: q and -q are the same orientation.
        return q.s < 0 ? Quaternion(i: -q.i, j: -q.j, k: -q.k, s: -q.s) : q
    }

    /// The angular velocity about the board's axes at `t` seconds, in degrees a second.
    public func angularVelocity(_ t: Double) -> SIMD3<Double> {
        let (angles, rates) = angles(t)
        let (pitch, roll) = (angles.y, angles.z)
        let body = SIMD3(
            rates.z - rates.x * sin(pitch), rates.y * cos(roll) + rates.x * cos(pitch) * sin(roll),
            rates.x * cos(pitch) * cos(roll) - rates.y * sin(roll))
        return body * 180 / .pi
    }

    /// What the accelerometer reads at `t` seconds, in mg: gravity alone, up.
    public func acceleration(_ t: Double) -> SIMD3<Double> { toBoard(SIMD3(0, 0, 1000), t) }

    /// What the magnetometer reads at `t` seconds, in mGa.
    public func magneticField(_ t: Double) -> SIMD3<Double> { toBoard(field, t) }

    /// Yaw 0 to 360, pitch and roll in degrees at `t` seconds.
    public func euler(_ t: Double) -> SIMD3<Double> {
        var degrees = angles(t).angles * 180 / .pi
        degrees.x = degrees.x.truncatingRemainder(dividingBy: 360)
        if degrees.x < 0 { degrees.x += 360 }
        return degrees
    }

    /// Where the board's x axis points, clockwise from north, in degrees.
    public func heading(_ t: Double) -> Double {
        let yaw = euler(t).x
        return yaw == 0 ? 0 : 360 - yaw
    }

    /// Turns a direction of the world into the board's axes.
    private func toBoard(_ v: SIMD3<Double>, _ t: Double) -> SIMD3<Double> {
        let q = orientation(t)
        let u = SIMD3(-q.i, -q.j, -q.k)
        let cross = Self.cross(u, v)
        return v + 2 * q.s * cross + 2 * Self.cross(u, cross)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
