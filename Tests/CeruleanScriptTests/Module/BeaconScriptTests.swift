// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanScript
import CeruleanTesting
import CeruleanWire
import Foundation
import Testing

/// Regions and ranging through the module, against the published vectors.
@Suite struct BeaconScriptTests {
    struct Vectors: Decodable, Sendable {
        struct Monitor: Decodable, Sendable {
            var id: String
            var sightingsS: [Double]
            var requestsS: [Double]
            var endS: Double
            var events: [[Entry]]
        }
        enum Entry: Decodable, Sendable {
            case number(Double), text(String)
            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if let number = try? value.decode(Double.self) {
                    self = .number(number)
                } else {
                    self = .text(try value.decode(String.self))
                }
            }
            var text: String {
                switch self {
                case .number(let number): String(Int((number * 1000).rounded()))
                case .text(let text): text
                }
            }
        }
        struct Place: Decodable, Sendable {
            var uuid: String
            var major: Int?
            var minor: Int?
        }
        struct Match: Decodable, Sendable {
            var region: Place
            var beacon: Place
            var match: Bool
        }
        struct Distance: Decodable, Sendable {
            var rssi: Int
            var measuredPower: Int
            var radius2013: Double
            var proximity: String
        }
        var monitor: [Monitor]
        var regionMatch: [Match]
        var distance: [Distance]
    }

    private static let vectors: Vectors = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Vectors/beacons.json")
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Vectors.self, from: Data(contentsOf: path))
        } catch {
            Issue.record("\(error)")
            return Vectors(monitor: [], regionMatch: [], distance: [])
        }
    }()

    private static let uuid = "B9407F30-F5F8-466E-AFF9-25556B57FE6D"

    private func frame(_ uuid: String, _ major: Int, _ minor: Int, power: Int) -> AdvertisementFields {
        var octets = uuid.replacing("-", with: "").chunked(2).compactMap { UInt8($0, radix: 16) }
        octets += [UInt8(major >> 8), UInt8(major & 255), UInt8(minor >> 8), UInt8(minor & 255)]
        let data: [UInt8] = [0x02, 0x15] + octets + [UInt8(truncatingIfNeeded: power)]
        var fields = AdvertisementFields()
        fields.manufacturerData = [.init(company: 0x004C, data: data)]
        return fields
    }

    @Test func allVectorsAreThere() {
        #expect(Self.vectors.monitor.count == 8)
        #expect(Self.vectors.regionMatch.count == 8)
        #expect(Self.vectors.distance.count == 13)
    }

    @Test(arguments: 0..<8)
    func monitoringTellsWhatTheVectorsSay(index: Int) async throws {
        let vector = Self.vectors.monitor[index]
        try await ScriptStage.run { stage in
            let scripted = ScriptedStage(stage)
            let script = try scripted.script(
                """
                var BLE = require('com.logicallabs.bluetoothle'), states = ['unknown', 'inside', 'outside'];
                ['enteredRegion', 'exitedRegion', 'regionStateUpdated'].forEach(function (name) {
                    BLE.addEventListener(name, function (e) { console.log(name + (e.state === undefined ? '' : ' ' + states[e.state])); });
                });
                var region = BLE.createBeaconRegion({ UUID: '\(Self.uuid)', identifier: 'one' });
                BLE.startRegionMonitoring({ beaconRegion: region });
                [\(vector.requestsS.map { "\($0)" }.joined(separator: ", "))].forEach(function (s) {
                    setTimeout(function () { BLE.requestRegionState({ beaconRegion: region }); }, s * 1000);
                });
                """)
            async let end = script.run()
            // The radio is opened meanwhile; no time passes.
            let start = stage.simulation.now
            var sent = 0.0
            for moment in vector.sightingsS {
                try await stage.simulation.advance(by: .seconds(moment - sent))
                sent = moment
                await scripted.host.advertise(frame(Self.uuid, 1, 2, power: -59))
            }
            // What is due at the end still happens.
            try await stage.simulation.loop.sleep(until: start + .seconds(vector.endS) + .milliseconds(1))
            let wanted = vector.events.map { event in event.map(\.text).joined(separator: " ") }
            #expect(script.timed(from: start) == wanted, "\(vector.id)")
            script.program.stop()
            _ = try await end
        }
    }

    @Test func regionsMatchAsTheVectorsSay() async throws {
        for vector in Self.vectors.regionMatch {
            let region = vector.region
            let lines = try await ranged(
                region: (region.uuid, region.major, region.minor),
                frame(vector.beacon.uuid, vector.beacon.major ?? 0, vector.beacon.minor ?? 0, power: -59), rssi: -60,
                "e.beacons.length")
            #expect(lines == [vector.match ? "1" : "0"], "\(vector)")
        }
    }

    @Test func distancesAreThoseOfTheVectors() async throws {
        let classes = ["unknown", "immediate", "near", "far"]
        for vector in Self.vectors.distance {
            let lines = try await ranged(
                region: (Self.uuid, nil, nil), frame(Self.uuid, 1, 2, power: vector.measuredPower), rssi: vector.rssi,
                "e.beacons[0].accuracy + ' ' + e.beacons[0].proximity")
            let parts = try #require(lines.first).split(separator: " ")
            let accuracy = try #require(Double(parts[0]))
            #expect(abs(accuracy - vector.radius2013) <= abs(vector.radius2013) * 1e-6, "\(vector)")
            #expect(classes[Int(parts[1]) ?? 0] == vector.proximity, "\(vector)")
        }
    }

    /// What a script makes of the first report on a region after one frame.
    private func ranged(
        region: (String, Int?, Int?), _ fields: AdvertisementFields, rssi: Int, _ expression: String
    ) async throws -> [String] {
        let major = region.1.map { ", major: \($0)" } ?? ""
        let minor = region.2.map { ", minor: \($0)" } ?? ""
        let source = """
            var BLE = require('com.logicallabs.bluetoothle');
            BLE.addEventListener('rangedBeacons', function (e) {
                console.log(String(\(expression)));
                BLE.stopRangingBeacons({ beaconRegion: e.region });
            });
            BLE.startRangingBeacons({ beaconRegion: BLE.createBeaconRegion({ UUID: '\(region.0)', identifier: 'r'\(major)\(minor) }) });
            """
        let lines = Box()
        try await ScriptStage.run { stage in
            let scripted = ScriptedStage(stage)
            let script = try scripted.script(source)
            async let end = script.run()
            try await stage.simulation.advance(by: .milliseconds(500))
            await scripted.host.advertise(fields, rssi: rssi)
            _ = try await end
            lines.set(script.lines)
        }
        return lines.value
    }

    @Test func permissionRegionsAndTheirLimitBehaveAsOnAPhone() async throws {
        let lines = try await ScriptStage.lines(
            """
            var BLE = require('com.logicallabs.bluetoothle'), U = '\(Self.uuid)';
            console.log(BLE.locationManagerAuthorizationStatus);
            BLE.addEventListener('locationManagerAuthorizationChanged', function (e) { console.log('status', e.status, BLE.locationManagerAuthorizationStatus); });
            BLE.addEventListener('regionMonitoringFailed', function (e) { console.log('failed', e.errorCode, e.errorDomain); });
            BLE.addEventListener('retrievedMonitoredRegions', function (e) {
                console.log('regions', e.beaconRegions.length, e.beaconRegions[0].major);
                BLE.stopRegionMonitoring();
            });
            function region(id, extra) { return BLE.createBeaconRegion(Object.assign({ UUID: U.toLowerCase(), identifier: id }, extra)); }
            console.log(region('x', { major: 0, minor: 0 }).major, region('x').UUID === U, region('x').minor);
            try { region('x', { minor: 1 }); } catch (e) { console.log('refused'); }
            (async function () {
                await BLE.requestAlwaysAuthorization();
                for (var i = 0; i < 21; i += 1) { BLE.startRegionMonitoring({ beaconRegion: region('r' + i) }); }
                BLE.startRegionMonitoring({ beaconRegion: region('r0', { major: 5 }) });
                BLE.stopRegionMonitoring({ beaconRegion: region('r1') });
                setTimeout(function () { BLE.retrieveMonitoredRegions(); }, 10);
            })();
            """)
        #expect(
            lines == ["0", "0 true undefined", "refused", "status 3 3", "failed 5 kCLErrorDomain", "regions 19 5"])
        let denied = try await ScriptStage.lines(
            """
            var BLE = require('com.logicallabs.bluetoothle');
            BLE.addEventListener('regionMonitoringFailed', function (e) { console.log('failed', e.errorCode); });
            BLE.requestAlwaysAuthorization().then(function (status) {
                console.log(status);
                BLE.startRegionMonitoring({ beaconRegion: BLE.createBeaconRegion({ UUID: '\(Self.uuid)', identifier: 'r' }) });
            });
            """
        ) { $0.deniesLocation = true }
        #expect(denied == ["2", "failed 4"])
    }
}

extension String {
    fileprivate func chunked(_ count: Int) -> [Substring] {
        stride(from: 0, to: self.count, by: count).map { at in
            let start = index(startIndex, offsetBy: at)
            return self[start..<(index(start, offsetBy: count, limitedBy: endIndex) ?? endIndex)]
        }
    }
}
