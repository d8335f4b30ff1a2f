// SPDX-License-Identifier: Apache-2.0

/// The values of one sample of a feature: up to sixteen numbers inline, in the order of the feature's fields; lists and
/// octets beside them, for the few features that have some.
///
/// No number costs an allocation.
public struct FeatureValues: Hashable, Sendable {
    /// Numbers that have room.
    public static let capacity = 16

    private var storage = SIMD16<Double>()
    private var present: UInt16 = 0
    /// Numbers of a field of form `list`.
    public var list: [Double] = []
    /// Octets of a field of form `bytes` or `text`.
    public var bytes: [UInt8] = []

    /// No value.
    public init() {}

    /// The value of the field at `index`; nil if it is missing. Indices of sixteen and more hold nothing.
    public subscript(index: Int) -> Double? {
        get {
            guard index >= 0, index < Self.capacity, present & (1 << UInt16(index)) != 0 else { return nil }
            return storage[index]
        }
        set {
            guard index >= 0, index < Self.capacity else { return }
            if let newValue {
                storage[index] = newValue
                present |= 1 << UInt16(index)
            } else {
                storage[index] = 0
                present &= ~(1 << UInt16(index))
            }
        }
    }

    @inline(__always)
    mutating func set(_ index: Int, _ value: Double) {
        storage[index & 15] = value
        present |= 1 << UInt16(truncatingIfNeeded: index & 15)
    }

    /// Forgets all values, and keeps the room of the lists.
    mutating func clear() {
        present = 0
        if !list.isEmpty { list.removeAll(keepingCapacity: true) }
        if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
    }

    /// Compares the values that are there.
    public static func == (a: Self, b: Self) -> Bool {
        a.present == b.present && a.list == b.list && a.bytes == b.bytes
            && (0..<capacity).allSatisfy { a[$0] == b[$0] }
    }

    /// Hashes the values that are there.
    public func hash(into hasher: inout Hasher) {
        for index in 0..<Self.capacity { hasher.combine(self[index]) }
        hasher.combine(list)
        hasher.combine(bytes)
    }
}
