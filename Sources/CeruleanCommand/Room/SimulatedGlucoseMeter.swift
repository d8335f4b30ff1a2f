// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanSensing
import CeruleanWire

/// A glucose meter, or a continuous glucose monitor, made of software: keeps records and sends them when it is asked to. The
/// monitor measures too: a minute of its time is a second.
struct SimulatedGlucoseMeter: SimulatedDevice {
    var kind: String { isContinuous ? "cgm" : "glucose" }
    var name: String
    var isContinuous: Bool
    /// Records at the beginning.
    var recordCount = 12

    init(name: String? = nil, isContinuous: Bool = false) {
        self.name = name ?? (isContinuous ? "Cerulean CGM" : "Cerulean Glucose")
        self.isContinuous = isContinuous
    }

    func serve(on server: PeripheralServer, ready: @escaping @Sendable () -> Void) async throws {
        let (commands, continuation) = AsyncStream.makeStream(
            of: RecordAccess.self, bufferingPolicy: .bufferingOldest(16))
        let point = LocalCharacteristic(
            Glucose.recordAccess, onWrite: { command, _ in _ = continuation.yield(command) })
        let measurement =
            isContinuous
            ? LocalCharacteristic(GlucoseMonitoring.measurement) : LocalCharacteristic(Glucose.measurement)
        let service = isContinuous ? GlucoseMonitoring.uuid : Glucose.uuid
        let published = try await server.publish([
            LocalService(service, characteristics: [measurement, point]),
            LocalService(DeviceInformation.uuid) {
                LocalCharacteristic(DeviceInformation.manufacturerName, "Cerulean")
                LocalCharacteristic(DeviceInformation.modelNumber, "Simulated glucose meter")
            },
        ])
        let parameters = AdvertisingParameters(
            content: .fields(name: name, services: [service]), interval: .milliseconds(100))
        let records = Records(count: recordCount)
        try await advertise(parameters, of: published, on: server) {
            ready()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await command in commands { try await obey(command, records, measurement, point, server) }
                    try Task.checkCancellation()
                }
                if isContinuous {
                    group.addTask {
                        while true {
                            try await server.host.loop.sleep(for: .seconds(1))
                            try await server.update(measurement, to: octets([await records.add()]))
                        }
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func obey(
        _ command: RecordAccess, _ records: Records, _ measurement: LocalCharacteristic,
        _ point: LocalCharacteristic, _ server: PeripheralServer
    ) async throws {
        func answer(_ code: UInt8) -> RecordAccess {
            RecordAccess(answerTo: command.operation, RecordAccess.Outcome(rawValue: code))
        }
        var reply = answer(2)
        switch command.operation {
        case .report, .count, .delete:
            guard let selection = command.selection else {
                reply = answer((1...6).contains(command.operatorCode) ? 5 : 4)
                break
            }
            let chosen = await records.chosen(selection)
            reply = answer(chosen.isEmpty ? 6 : 1)
            if command.operation == .count { reply = RecordAccess(count: UInt16(clamping: chosen.count)) }
            if command.operation == .delete { await records.delete(chosen) }
            if command.operation == .report {
                // As many in one value as the smallest packet holds.
                let size = isContinuous ? 3 : 1
                for start in stride(from: 0, to: chosen.count, by: size) {
                    let part = chosen[start..<min(start + size, chosen.count)]
                    try await server.update(measurement, to: octets(Array(part)))
                }
            }
        case .abort: reply = answer(1)
        default: break
        }
        try await server.update(point, to: (try? reply.encoded()) ?? [])
    }

    /// The octets of measurements.
    private func octets(_ numbers: [UInt16]) -> [UInt8] {
        func level(_ number: UInt16) -> Int32 { 90 + Int32(number % 24) * 3 }
        if isContinuous {
            var value = GlucoseMonitoringMeasurement()
            value.records = numbers.map { number in
                var record = GlucoseMonitoringMeasurement.Record()
                record.glucose = MedicalFloat(mantissa: level(number), exponent: 0)
                record.timeOffset = number
                return record
            }
            return (try? value.encoded()) ?? []
        }
        var value = GlucoseMeasurement()
        value.sequenceNumber = numbers.first ?? 0
        value.baseTime = DateTime(year: 2026, month: 11, day: 30, hours: 6)
        value.timeOffset = Int16(clamping: Int(value.sequenceNumber) * 30)
        // Kilograms in a liter: 90 mg/dL are 0.0009.
        value.concentration = MedicalFloat(mantissa: level(value.sequenceNumber), exponent: -5)
        value.type = 1
        value.sampleLocation = 1
        return (try? value.encoded()) ?? []
    }
}

/// What a meter keeps: the numbers of its records, from which their values follow.
private actor Records {
    private var numbers: [UInt16]
    private var next: UInt16

    init(count: Int) {
        next = UInt16(clamping: count + 1)
        numbers = (1..<next).map { $0 }
    }

    func chosen(_ selection: RecordAccess.Selection) -> [UInt16] { selection.records(of: numbers) { $0 } }

    func delete(_ gone: [UInt16]) { numbers.removeAll { gone.contains($0) } }

    func add() -> UInt16 {
        defer { next &+= 1 }
        numbers.append(next)
        if numbers.count > 1000 { numbers.removeFirst() }
        return next
    }
}
