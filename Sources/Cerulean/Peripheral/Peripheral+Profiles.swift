// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

extension Peripheral {
    /// Reads the value of a profile's characteristic, the first of its type; discovers the database when that has not
    /// been done.
    ///
    /// - Throws: ``BluetoothError``, with `badData` when the octets do not hold such a value.
    public func read<Value>(
        _ profile: CharacteristicProfile<Value>, in service: BluetoothUUID? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Value {
        let characteristic = try await findCharacteristic(profile.uuid, in: service)
        return try await read(profile, from: characteristic, timeout: timeout)
    }

    /// Reads the value of a profile from this characteristic.
    ///
    /// - Throws: ``BluetoothError``, with `badData` when the octets do not hold such a value.
    public func read<Value>(
        _ profile: CharacteristicProfile<Value>, from characteristic: Characteristic, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> Value {
        let bytes = try await read(characteristic, timeout: timeout)
        return try TypedValue.decode(profile, bytes, "read of \(profile.uuid) on \(record.label)")
    }

    /// Writes the value of a profile's characteristic, the first of its type; discovers the database when that has not
    /// been done.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - profile: The characteristic, with the type of its value.
    ///   - service: The type of the service; nil looks in all.
    ///   - mode: Nil takes what the characteristic allows, with a response where it can.
    ///   - timeout: For the whole operation.
    /// - Throws: ``BluetoothError``, with `invalidArgument` when the value cannot be encoded.
    public func write<Value>(
        _ value: Value, to profile: CharacteristicProfile<Value>, in service: BluetoothUUID? = nil,
        mode: WriteMode? = nil, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) {
        let characteristic = try await findCharacteristic(profile.uuid, in: service)
        let bytes = try TypedValue.encode(value, "write of \(profile.uuid) on \(record.label)")
        try await write(bytes, to: characteristic, mode: mode, timeout: timeout)
    }

    /// Subscribes to a profile's characteristic, the first of its type, and gives its values decoded; discovers the
    /// database when that has not been done. See ``notifications(of:mode:capacity:overflow:timeout:)``.
    ///
    /// - Throws: ``BluetoothError``.
    public func values<Value>(
        of profile: CharacteristicProfile<Value>, in service: BluetoothUUID? = nil, capacity: Int = 1024,
        overflow: OverflowRule = .dropOldest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> TypedValues<Value> {
        let characteristic = try await findCharacteristic(profile.uuid, in: service)
        return try await values(
            of: profile, from: characteristic, capacity: capacity, overflow: overflow, timeout: timeout)
    }

    /// Subscribes to this characteristic and gives its values decoded.
    ///
    /// - Throws: ``BluetoothError``.
    public func values<Value>(
        of profile: CharacteristicProfile<Value>, from characteristic: Characteristic, capacity: Int = 1024,
        overflow: OverflowRule = .dropOldest, timeout: Duration = .seconds(10)
    ) async throws(BluetoothError) -> TypedValues<Value> {
        let notifications = try await notifications(
            of: characteristic, capacity: capacity, overflow: overflow, timeout: timeout)
        return TypedValues(
            notifications: notifications, profile: profile, operation: "value of \(profile.uuid) on \(record.label)")
    }
}

/// The values of a profile's characteristic, decoded. Ends and fails as ``Notifications`` do; octets that hold no such
/// value fail with `badData`, after which the next call goes on with the next value.
public struct TypedValues<Value: CharacteristicValue>: AsyncSequence, Sendable {
    /// A decoded value.
    public typealias Element = Value
    /// Why the values ended.
    public typealias Failure = BluetoothError

    /// The values with their time, their octets and what was lost before each.
    public let notifications: Notifications
    let profile: CharacteristicProfile<Value>
    let operation: String

    /// How many values were dropped because the reader was too slow.
    public var droppedCount: Int { notifications.droppedCount }

    /// Ends the subscription for this reader. What has arrived can still be read.
    public func cancel() { notifications.cancel() }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: notifications.makeAsyncIterator(), profile: profile, operation: operation)
    }

    /// Reads ``TypedValues``; what ``Notifications/Iterator`` says of batches holds here too.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Notifications.Iterator
        let profile: CharacteristicProfile<Value>
        let operation: String

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost, or the octets hold no such value.
        public mutating func next() async throws(BluetoothError) -> Value? { try await next(isolation: nil) }

        /// The next value; nil at the end and when the task is cancelled.
        ///
        /// - Throws: ``BluetoothError`` when the link is lost, or the octets hold no such value.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Value? {
            guard let notification = try await base.next(isolation: actor) else { return nil }
            return try TypedValue.decode(profile, notification.value, operation)
        }
    }
}

/// Values to octets and back, with errors of the API.
enum TypedValue {
    static func decode<Value>(
        _ profile: CharacteristicProfile<Value>, _ bytes: [UInt8], _ operation: @autoclosure () -> String
    ) throws(BluetoothError) -> Value {
        do {
            return try profile.decode(bytes)
        } catch {
            let detail = fault(in: bytes, of: Value.self) ?? "\(error)"
            throw BluetoothError(.badData, operation(), detail: detail)
        }
    }

    /// The field that does not fit, and why.
    private static func fault(in bytes: [UInt8], of type: any CharacteristicValue.Type) -> String? {
        guard let type = type as? any ListedValue.Type else { return nil }
        var coder = ValueCoder(reading: bytes)
        var value = type.init()
        do {
            try value.visit(&coder)
            return nil
        } catch {
            return "field \(coder.field): \(error)"
        }
    }

    static func encode(
        _ value: some CharacteristicValue, _ operation: @autoclosure () -> String
    ) throws(BluetoothError) -> [UInt8] {
        do {
            return try value.encoded()
        } catch {
            throw BluetoothError(.invalidArgument, operation(), detail: "\(error)")
        }
    }
}
