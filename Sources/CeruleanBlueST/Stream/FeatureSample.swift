// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// One sample of a feature.
///
/// ```swift
/// print(sample.feature.name, sample[0] ?? .nan, "lost before:", sample.lostBefore)
/// ```
public struct FeatureSample: Sendable, CustomStringConvertible {
    /// The feature.
    public let feature: Feature
    /// The values in the order of the feature's fields.
    public internal(set) var values: FeatureValues
    /// The board's time in ticks, wraps counted; nil if the feature has none.
    public internal(set) var timestamp: Int64?
    /// The board's time as it was sent: for remote features the number of the other board.
    public internal(set) var rawTimestamp: UInt16?
    /// The board that measured, for remote features.
    public internal(set) var nodeID: UInt16?
    /// The measuring board's time as it was sent, for remote features.
    public internal(set) var rawRemoteTimestamp: UInt16?
    /// When the notification arrived, by the host's clock. Samples that share a notification are dated back.
    public internal(set) var time: MonotonicTime
    /// Which sample of its notification it is, from 0.
    public internal(set) var row = 0
    /// True if it is one of several samples of its notification, see ``rows``.
    public internal(set) var isRow = false
    /// Samples missing directly in front of this one.
    public internal(set) var lostBefore = 0
    /// False if the board did not advertise the feature.
    public let isEnabled: Bool
    let notification: [UInt8]
    let range: Range<Int>

    init(
        feature: Feature, values: FeatureValues, rawTimestamp: UInt16?, time: MonotonicTime, isEnabled: Bool,
        notification: [UInt8], range: Range<Int>
    ) {
        self.feature = feature
        self.values = values
        self.rawTimestamp = rawTimestamp
        self.time = time
        self.isEnabled = isEnabled
        self.notification = notification
        self.range = range
    }

    /// The octets that the feature used, without the time in front and without other features.
    public var raw: ArraySlice<UInt8> { notification[range] }

    /// The value of a field by its index; nil if it is missing.
    public subscript(index: Int) -> Double? { values[index] }

    /// The value of a field by its name; nil if it is missing or there is no such field.
    public subscript(name: String) -> Double? { feature.index(of: name).flatMap { values[$0] } }

    /// The fields of one of several samples of a notification, as an object.
    private var rowMembers: [FieldValue.Member] {
        feature.fields.enumerated().flatMap { Feature.members(of: $1, at: $0, in: values) }
    }

    /// The values as an object, in the names of the shared vectors. Remote features have their board and its time in
    /// front.
    public var members: [FieldValue.Member] {
        if isRow { return rowMembers }
        var members: [FieldValue.Member] = []
        if let nodeID { members.append(.init("nodeId", FieldValue(integer: nodeID))) }
        if let raw = rawRemoteTimestamp { members.append(.init("remoteTimestamp", FieldValue(integer: raw))) }
        return members + feature.members(of: values)
    }

    /// The samples one by one, for features of which several share a notification.
    public var rows: [FeatureSample] {
        let columns = feature.columns
        guard columns > 0, !values.list.isEmpty else { return [self] }
        let count = values.list.count / columns
        return (0..<count).map { row in
            var sample = self
            sample.row = row
            sample.isRow = true
            sample.lostBefore = row == 0 ? lostBefore * count : 0
            sample.values.list = []
            for column in 0..<columns { sample.values[column] = values.list[row * columns + column] }
            if let span = feature.rowsCover {
                sample.time = time + span * (row + 1 - count) / count
            }
            return sample
        }
    }

    /// Name, time and values on one line.
    public var description: String {
        var text = feature.name
        if let timestamp { text += " (\(timestamp))" }
        let fields = feature.fields.enumerated().compactMap { index, field -> String? in
            switch field.form {
            case .list: return "\(field.name) \(values.list)"
            case .bytes: return "\(field.name) \(Hex.encode(values.bytes))"
            case .text: return String(decoding: values.bytes, as: UTF8.self)
            default: break
            }
            guard let value = values[index] else { return nil }
            if let labels = field.labels { return "\(field.name) \(labels[value])" }
            if field.style == .mask {
                return "\(field.name) \(BlueSTAdvertisement.hex(UInt32(exactly: value) ?? 0, 8))"
            }
            let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            return "\(field.name) \(number)" + (field.unit.map { " \($0)" } ?? "")
        }
        return "\(text): \(fields.joined(separator: ", "))"
    }
}
