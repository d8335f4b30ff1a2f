// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

/// What one test of `bench` came to.
struct BenchResult: Sendable {
    var test: BenchRun.Test
    var start = MonotonicTime.zero
    var end = MonotonicTime.zero
    /// Values that were carried.
    private(set) var values = 0
    private(set) var octets = 0
    /// Values that did not arrive.
    var lost = 0
    /// The link as it was at the end.
    var link: LinkInfo?
    private var latencies: [Int64] = []
    /// Latencies that are kept: beyond it every other one is dropped, then every other one of the rest.
    private static let limit = 1 << 16
    private var stride = 1

    init(test: BenchRun.Test) { self.test = test }

    /// Counts one value.
    mutating func note(_ latency: Duration, octets count: Int) {
        values += 1
        octets += count
        guard values % stride == 0 else { return }
        latencies.append(Int64((latency.inSeconds * 1e9).rounded()))
        guard latencies.count >= Self.limit else { return }
        latencies = latencies.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        stride *= 2
    }

    /// Seconds from the first to the last value.
    var seconds: Double { max(0, (end - start).inSeconds) }
    /// Octets of one value on average.
    var size: Int { values > 0 ? octets / values : 0 }
    var valuesPerSecond: Double { seconds > 0 ? Double(values) / seconds : 0 }
    var kilobitsPerSecond: Double { seconds > 0 ? Double(octets) * 8 / 1000 / seconds : 0 }

    /// Milliseconds below which the given share of the latencies lies.
    func percentile(_ share: Double) -> Double {
        let sorted = latencies.sorted()
        guard !sorted.isEmpty else { return 0 }
        let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return Double(sorted[min(max(index, 0), sorted.count - 1)]) / 1e6
    }

    /// What the air allows: for the radio mode and packets of the link where they are known, else for the usual ones.
    private var limits: [AirLimit] {
        let all = AirLimit.all(isEncrypted: (link?.security ?? .open) > .open)
        let isSending = test == .write
        let phy = link?.phy.map { isSending ? $0.transmit : $0.receive }
        let length = link?.dataLength.map { isSending ? $0.transmit : $0.receive }
        var limits: [AirLimit] = []
        for var limit in all {
            if let phy, phy == .le1M || phy == .le2M, limit.phy != (phy == .le1M ? .le1M : .le2M) { continue }
            if let length { limit.dataLength = length }
            if !limits.contains(limit) { limits.append(limit) }
        }
        return limits
    }

    func fieldValue(_ peripheral: Peripheral, time: String) -> FieldValue {
        var members: [FieldValue.Member] = [.init("test", .text(test.rawValue)), .init("time", .text(time))]
        if let address = peripheral.address { members.append(.init("address", .text(address.description))) }
        if let name = peripheral.name { members.append(.init("name", .text(name))) }
        members += [
            .init("packets", FieldValue(integer: values)), .init("bytes", FieldValue(integer: octets)),
            .init("lost", FieldValue(integer: lost)), .init("seconds", .number(Self.short(seconds))),
            .init("packetsPerSecond", .number(Self.short(valuesPerSecond))),
            .init("kbitPerSecond", .number(Self.short(kilobitsPerSecond))),
            .init(
                "latency",
                [
                    "p50": .number(Self.short(percentile(0.5))), "p90": .number(Self.short(percentile(0.9))),
                    "p99": .number(Self.short(percentile(0.99))), "max": .number(Self.short(percentile(1))),
                ]),
            .init("size", FieldValue(integer: size)),
        ]
        if let link {
            members.append(.init("mtu", FieldValue(integer: link.mtu)))
            if let interval = link.parameters?.interval {
                members.append(.init("interval", .number(Self.short(interval.inSeconds * 1000))))
            }
        }
        if test != .read {
            members.append(
                .init(
                    "limits",
                    .list(
                        limits.map { limit in
                            [
                                "phy": .text(limit.phy.rawValue), "dataLength": FieldValue(integer: limit.dataLength),
                                "kbitPerSecond": .number(
                                    Self.short(
                                        limit.kilobitsPerSecond(size, interval: link?.parameters?.interval))),
                            ]
                        })))
        }
        return .object(members)
    }

    /// Lines for people.
    var lines: [String] {
        func number(_ value: Double) -> String { Self.short(value).plainText }
        var lines = [
            "\(test.rawValue): \(values) values of \(size) octets in \(number(seconds)) s, "
                + "\(lost == 0 ? "none lost" : "\(lost) lost")",
            "  \(number(valuesPerSecond)) values/s, \(number(kilobitsPerSecond)) kbit/s",
            "  \(test == .notify ? "time between values" : "latency") ms: median \(number(percentile(0.5))), "
                + "90 % \(number(percentile(0.9))), 99 % \(number(percentile(0.99))), "
                + "longest \(number(percentile(1)))",
        ]
        if let link {
            let interval = link.parameters.map { ", interval \(number($0.interval.inSeconds * 1000)) ms" } ?? ""
            lines.append("  link: MTU \(link.mtu)\(interval)")
        }
        guard test != .read else { return lines }
        let texts = limits.map { limit in
            let most = limit.kilobitsPerSecond(size, interval: link?.parameters?.interval)
            return "\(limit.phy.rawValue) with packets of \(limit.dataLength) octets \(Int(most.rounded()))"
        }
        lines.append("  the air allows at most, kbit/s: " + texts.joined(separator: ", "))
        return lines
    }

    private static func short(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
