// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import CeruleanWire
import Synchronization

/// A measurement that a glucose meter keeps, with what was eaten, done and taken, if it tells.
public struct GlucoseRecord: Hashable, Sendable {
    /// The measurement.
    public var measurement: GlucoseMeasurement
    /// Its context.
    public var context: GlucoseContext?

    /// A record without a context.
    public init(measurement: GlucoseMeasurement, context: GlucoseContext? = nil) {
        self.measurement = measurement
        self.context = context
    }
}

extension Peripheral {
    /// The records of a glucose meter (service 1808), in the order in which it sends them.
    ///
    /// ```swift
    /// let newest = try await meter.glucoseRecords(.last)
    /// print(newest.first?.measurement.concentration?.value ?? .nan)
    /// ```
    ///
    /// No record is an empty list. Values that hold no measurement are left out.
    ///
    /// - Parameters:
    ///   - selection: Which.
    ///   - timeout: For each step; while records come, it begins anew with each.
    /// - Throws: ``BluetoothError``: `notFound` without the service, `refused` with the meter's reason.
    public func glucoseRecords(
        _ selection: RecordAccess.Selection = .all, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> [GlucoseRecord] {
        let values = try await records([0x2A18, 0x2A34], of: Glucose.uuid, selection, timeout: timeout)
        var records: [GlucoseRecord] = []
        for value in values where value.uuid == 0x2A18 {
            if let measurement = try? GlucoseMeasurement(decoding: value.bytes) {
                records.append(GlucoseRecord(measurement: measurement))
            }
        }
        for value in values where value.uuid == 0x2A34 {
            guard let context = try? GlucoseContext(decoding: value.bytes),
                let place = records.lastIndex(where: { $0.measurement.sequenceNumber == context.sequenceNumber })
            else { continue }
            records[place].context = context
        }
        return records
    }

    /// The records that a continuous glucose monitor (service 181F) keeps, oldest first as it sends them.
    ///
    /// - Parameters:
    ///   - selection: Which, by the minutes since the session began.
    ///   - timeout: For each step; while records come, it begins anew with each.
    /// - Throws: ``BluetoothError``: `notFound` without the service, `refused` with the monitor's reason.
    public func glucoseMonitoringRecords(
        _ selection: RecordAccess.Selection = .all, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> [GlucoseMonitoringMeasurement.Record] {
        try await records([0x2AA7], of: GlucoseMonitoring.uuid, selection, timeout: timeout).flatMap { value in
            (try? GlucoseMonitoringMeasurement(decoding: value.bytes))?.records ?? []
        }
    }

    /// How many records a meter keeps.
    ///
    /// - Parameters:
    ///   - service: The service with the Record Access Control Point.
    ///   - selection: Which are counted.
    ///   - timeout: For each step.
    /// - Throws: ``BluetoothError``.
    public func recordCount(
        in service: BluetoothUUID, _ selection: RecordAccess.Selection = .all, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Int {
        try await askForRecords(RecordAccess(.count, selection), in: service, timeout: timeout).recordCount ?? 0
    }

    /// Deletes records of a meter.
    ///
    /// - Parameters:
    ///   - service: The service with the Record Access Control Point.
    ///   - selection: Which are deleted.
    ///   - timeout: For each step.
    /// - Throws: ``BluetoothError``.
    public func deleteRecords(
        in service: BluetoothUUID, _ selection: RecordAccess.Selection, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) {
        _ = try await askForRecords(RecordAccess(.delete, selection), in: service, timeout: timeout)
    }

    /// Writes a command to the Record Access Control Point (2A52) of a service and waits for the answer. Whoever wants the
    /// records themselves has subscribed to them before.
    ///
    /// - Parameters:
    ///   - command: What is to be done.
    ///   - service: The service.
    ///   - timeout: For the subscription, the write, and then the answer.
    /// - Throws: ``BluetoothError``: `notFound`, `timedOut`, or `refused` with the meter's reason. That there is no record is no
    ///   error.
    public func askForRecords(
        _ command: RecordAccess, in service: BluetoothUUID, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> RecordAccess {
        try await askForRecords(command, in: service, timeout: timeout, activity: RecordActivity(host.loop))
    }

    // MARK: - Private

    private typealias RecordValue = (uuid: BluetoothUUID, bytes: [UInt8])

    private func records(
        _ types: [BluetoothUUID], of service: BluetoothUUID, _ selection: RecordAccess.Selection, timeout: Duration
    ) async throws(BluetoothError) -> [RecordValue] {
        _ = try await findCharacteristic(types[0], in: service)
        var streams: [(uuid: BluetoothUUID, values: RawValues)] = []
        for type in types {
            guard let found = characteristics(type, in: service).first(where: \.canNotify) else { continue }
            // As many as a sequence number can tell apart.
            streams.append((type, try await values(of: found, capacity: 1 << 16, overflow: .dropNewest)))
        }
        let activity = RecordActivity(host.loop)
        let readers = streams
        // The answer comes behind the last record; what has arrived can be read when it is there.
        @Sendable func read(_ stream: (uuid: BluetoothUUID, values: RawValues)) async throws {
            for try await bytes in stream.values {
                activity.note(stream.uuid, bytes)
            }
        }
        @Sendable func ask() async throws {
            defer { for stream in readers { stream.values.cancel() } }
            _ = try await askForRecords(
                RecordAccess(.report, selection), in: service, timeout: timeout, activity: activity)
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for stream in readers { group.addTask { try await read(stream) } }
                group.addTask { try await ask() }
                try await group.waitForAll()
            }
        } catch let error as BluetoothError {
            throw error
        } catch {
            throw BluetoothError(.cancelled, "records of \(self)")
        }
        let all = activity.values
        return types.flatMap { type in (all[type] ?? []).map { (type, $0) } }
    }

    private func askForRecords(
        _ command: RecordAccess, in service: BluetoothUUID, timeout: Duration, activity: RecordActivity
    ) async throws(BluetoothError) -> RecordAccess {
        let operation = "record access on \(self)"
        let point = try await findCharacteristic(0x2A52, in: service)
        let answers = try await values(of: point, mode: .indications, capacity: 16, timeout: timeout)
        defer { answers.cancel() }
        let octets = try TypedValue.encode(command, operation)
        try await write(octets, to: point, mode: .withResponse, timeout: timeout)
        activity.note()
        @Sendable func answer() async throws -> RecordAccess? {
            for try await bytes in answers {
                guard let answer = try? RecordAccess(decoding: bytes) else { continue }
                if answer.operation == .countAnswer || answer.outcome?.operation == command.operation { return answer }
            }
            return nil
        }
        @Sendable func watch() async throws -> RecordAccess? {
            while let rest = activity.rest(of: timeout) { try await activity.loop.sleep(for: rest) }
            throw BluetoothError(.timedOut, operation, detail: "the meter gave no answer for \(timeout)")
        }
        var found: RecordAccess?
        do {
            found = try await withThrowingTaskGroup(of: RecordAccess?.self) { group in
                group.addTask { try await answer() }
                group.addTask { try await watch() }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch let error as BluetoothError {
            throw error
        } catch {
            throw BluetoothError(.cancelled, operation)
        }
        guard let found else { throw BluetoothError(Task.isCancelled ? .cancelled : .disconnected, operation) }
        if let outcome = found.outcome?.outcome, outcome != .success, outcome != .noRecords {
            throw BluetoothError(.refused, operation, detail: "the meter says: \(outcome)")
        }
        return found
    }
}

/// What came in a procedure, and when the last of it.
private final class RecordActivity: Sendable {
    let loop: any EventLoop
    private let last: Mutex<MonotonicTime>
    private let received = Mutex<[BluetoothUUID: [[UInt8]]]>([:])

    init(_ loop: any EventLoop) {
        self.loop = loop
        last = Mutex(loop.now)
    }

    /// What came, by type.
    var values: [BluetoothUUID: [[UInt8]]] { received.withLock { $0 } }

    func note() { last.withLock { $0 = loop.now } }

    func note(_ uuid: BluetoothUUID, _ bytes: [UInt8]) {
        received.withLock { $0[uuid, default: []].append(bytes) }
        note()
    }

    /// What is left of a time without anything; nil when it is over.
    func rest(of timeout: Duration) -> Duration? {
        let end = last.withLock { $0 } + timeout
        let now = loop.now
        return now < end ? end - now : nil
    }
}
