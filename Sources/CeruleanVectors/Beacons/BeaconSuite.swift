// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanStack
import CeruleanWire

/// Runs `beacons.json`: frames, web addresses, changing identifiers, regions, distances, monitoring.
public struct BeaconSuite: VectorSuite {
    /// None outside of the sections.
    public let kinds: Set<String> = []
    /// The sections of the file.
    public let sections: Set<String> = ["decode", "url_encode", "eid", "region_match", "distance", "monitor"]

    /// The suite.
    public init() {}

    /// Runs one case.
    public func run(_ test: VectorCase) async throws(CaseFailure) {
        var members = try test.members()
        switch test.kind {
        case "decode": try decode(&members)
        case "url_encode": try encode(&members)
        case "eid": try identifier(&members)
        case "region_match": try match(&members)
        case "distance": try distance(&members)
        default: try monitor(&members)
        }
    }

    // MARK: - Private

    private func decode(_ members: inout CaseObject) throws(CaseFailure) {
        let advertisement = try members.hex("adv")
        let expected = try members.required("expect")
        try members.finish()
        let beacons = AdvertisementFields(advertisement: advertisement).beacons
        try Expectation.compare(.list(beacons.map(\.fields)), with: expected, at: "expect")
        // What can be sent must read back the same.
        for beacon in beacons {
            guard let frame = beacon.frame as? any AdvertisableBeacon else { continue }
            do {
                let again = AdvertisementFields(advertisement: try frame.advertisement()).beacons
                try Expectation.compare(.list(again.map(\.fields)), with: .list([beacon.fields.asJSON]), at: "sent")
            } catch let failure as CaseFailure {
                throw failure
            } catch {
                throw CaseFailure("sent: \(error)")
            }
        }
    }

    private func encode(_ members: inout CaseObject) throws(CaseFailure) {
        let url = try members.text("url")
        guard let power = Int8(exactly: try members.integer("tx_power_0m")) else {
            throw members.wrongType("tx_power_0m", "number of 8 bits")
        }
        let expected = try members.required("service_data")
        try members.finish()
        let element: AdvertisingData.Element
        do {
            element = try EddystoneURL(url: url, txPower: power).element()
        } catch {
            throw CaseFailure("url: \(error)")
        }
        guard case .serviceData(Eddystone.service, let data, _) = element else { throw CaseFailure("no service data") }
        try Expectation.compare(.bytes(data), with: expected, at: "service_data")
        guard EddystoneURL(serviceData: data)?.url == url else { throw CaseFailure("url: reads back as another") }
    }

    private func identifier(_ members: inout CaseObject) throws(CaseFailure) {
        guard let key = Value128(bigEndian: try members.hex("identity_key")) else {
            throw members.wrongType("identity_key", "16 octets")
        }
        guard let exponent = UInt8(exactly: try members.integer("exponent")), exponent <= 15 else {
            throw members.wrongType("exponent", "number from 0 to 15")
        }
        guard let time = UInt32(exactly: try members.integer("time_s")) else {
            throw members.wrongType("time_s", "number of 32 bits")
        }
        let expected = try members.required("eid")
        try members.finish()
        do {
            let identifier = try SystemCrypto().eddystoneIdentifier(key, exponent: exponent, time: time)
            try Expectation.compare(.bytes(identifier), with: expected, at: "eid")
        } catch let failure as CaseFailure {
            throw failure
        } catch {
            throw CaseFailure("eid: \(error)")
        }
    }

    private func match(_ members: inout CaseObject) throws(CaseFailure) {
        var description = try members.object("region")
        let uuid = try description.uuid("uuid")
        let major = try description.optionalNumber("major")
        let minor = try description.optionalNumber("minor")
        try description.finish()
        var beacon = try members.object("beacon")
        let identity = BeaconIdentity.proximity(
            uuid: try beacon.uuid("uuid"), major: try beacon.number16("major"), minor: try beacon.number16("minor"))
        try beacon.finish()
        let expected = try members.bool("match")
        try members.finish()
        let region: BeaconRegion?
        switch (major, minor) {
        case (let major?, let minor?): region = BeaconRegion("vector", uuid: uuid, major: major, minor: minor)
        case (let major, nil): region = BeaconRegion("vector", uuid: uuid, major: major)
        // There is no such region.
        case (nil, .some): region = nil
        }
        guard (region?.contains(identity) ?? false) == expected else { throw CaseFailure("match: not \(expected)") }
    }

    private func distance(_ members: inout CaseObject) throws(CaseFailure) {
        let rssi = Double(try members.integer("rssi"))
        let power = try members.integer("measured_power")
        let models: [(String, DistanceModel)] = [
            ("radius2013", .radius2013), ("nexus5", .nexus5), ("log_n2", .pathLoss(exponent: 2)),
        ]
        for (name, model) in models {
            let expected = try members.required(name)
            let accuracy = model.accuracy(rssi: rssi, measuredPower: power)
            try Expectation.compare(.number(accuracy), with: expected, at: name)
        }
        let expected = try members.required("proximity")
        try members.finish()
        let accuracy = DistanceModel.radius2013.accuracy(rssi: rssi, measuredPower: power)
        try Expectation.compare(
            .text(BeaconProximity(accuracy: accuracy).rawValue), with: expected, at: "proximity")
    }

    private func monitor(_ members: inout CaseObject) throws(CaseFailure) {
        let times = MonitoringTimes(
            initial: .seconds(try members.number("initial_s")), exit: .seconds(try members.number("exit_s")))
        let sightings = try members.moments("sightings_s").map { ($0, 0) }
        let requests = try members.moments("requests_s").map { ($0, 2) }
        let end = MonotonicTime.zero + .seconds(try members.number("end_s"))
        let expected = try members.required("events")
        try members.finish()
        // At one moment sightings come before deadlines, requests last.
        let inputs = (sightings + requests).filter { $0.0 <= end }.sorted { $0 < $1 }
        var monitor = RegionMonitor(times: times, now: .zero)
        var events: [FieldValue] = []
        func add(_ new: [RegionMonitor.Event], at moment: MonotonicTime) {
            for event in new {
                let time = FieldValue.number(Double(moment.nanoseconds) / 1e9)
                switch event {
                case .entered: events.append([time, "enteredRegion"])
                case .exited: events.append([time, "exitedRegion"])
                case .state(let state): events.append([time, "regionStateUpdated", .text(state.rawValue)])
                }
            }
        }
        for (moment, order) in inputs {
            while let deadline = monitor.deadline, deadline < moment || deadline == moment && order == 2 {
                add(monitor.advance(to: deadline), at: deadline)
            }
            add(order == 0 ? monitor.heard(at: moment) : [monitor.request()], at: moment)
        }
        while let deadline = monitor.deadline, deadline <= end { add(monitor.advance(to: deadline), at: deadline) }
        try Expectation.compare(.list(events), with: expected, at: "events")
    }
}

extension CaseObject {
    fileprivate mutating func number16(_ name: String) throws(CaseFailure) -> UInt16 {
        guard let number = UInt16(exactly: try integer(name)) else { throw wrongType(name, "number of 16 bits") }
        return number
    }

    fileprivate mutating func optionalNumber(_ name: String) throws(CaseFailure) -> UInt16? {
        names.contains(name) ? try number16(name) : nil
    }

    fileprivate mutating func moments(_ name: String) throws(CaseFailure) -> [MonotonicTime] {
        var moments: [MonotonicTime] = []
        for value in try list(name) {
            switch value {
            case .integer(let seconds): moments.append(.zero + .seconds(seconds))
            case .number(let seconds): moments.append(.zero + .seconds(seconds))
            default: throw wrongType(name, "list of numbers")
            }
        }
        return moments
    }
}

extension FieldValue {
    /// The value as a file would hold it: octets as hexadecimal text.
    fileprivate var asJSON: FieldValue {
        switch self {
        case .bytes(let bytes): .text(Hex.encode(bytes))
        case .list(let values): .list(values.map(\.asJSON))
        case .object(let members): .object(members.map { Member($0.name, $0.value.asJSON) })
        default: self
        }
    }
}
