// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
import CeruleanWire

extension LocalCharacteristic {
    /// The characteristic of a profile with its initial value and its descriptors, and typed handlers. Writes that hold
    /// no such value are refused with "invalid attribute value length" (0x0D) before a handler sees them.
    ///
    /// - Parameters:
    ///   - profile: The characteristic, with the type of its value.
    ///   - value: What is kept at first; nil keeps the initial value of the profile, else no octets. A value that
    ///     cannot be encoded keeps none either.
    ///   - descriptors: Others than those of the profile.
    ///   - onRead: Makes the value for each read; nil reads what is kept.
    ///   - onWrite: Decides about each write; nil takes every value.
    public convenience init<Value>(
        _ profile: CharacteristicProfile<Value>, _ value: Value? = nil, descriptors: [DescriptorDefinition] = [],
        onRead: (@Sendable (ReadRequest) async throws -> Value)? = nil,
        onWrite: (@Sendable (Value, WriteRequest) async throws -> Void)? = nil
    ) {
        let writes: CharacteristicProperties = [.write, .writeWithoutResponse, .signedWrite]
        var readHandler: ReadHandler?
        if let onRead { readHandler = { request in try await onRead(request).encoded() } }
        var writeHandler: WriteHandler?
        if onWrite != nil || !profile.properties.isDisjoint(with: writes) {
            writeHandler = { request in
                let value: Value
                do { value = try profile.decode(request.value) } catch { throw RequestFailure.invalidValueLength }
                try await onWrite?(value, request)
            }
        }
        self.init(
            profile.uuid, profile.properties, permissions: profile.permissions,
            value: (try? (value ?? profile.initialValue)?.encoded()) ?? [],
            descriptors: profile.descriptors + descriptors, onRead: readHandler, onWrite: writeHandler)
    }
}

extension PeripheralServer {
    /// Keeps a new value of a profile's characteristic and sends it to its subscribers, see
    /// ``update(_:to:for:timeout:)-(_,[UInt8],_,_)``.
    ///
    /// - Throws: ``BluetoothError``, with `invalidArgument` when the value cannot be encoded.
    /// - Returns: How many subscribers it goes to.
    @discardableResult
    public func update(
        _ characteristic: LocalCharacteristic, to value: some CharacteristicValue, for central: RemoteCentral? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Int {
        let bytes = try TypedValue.encode(value, "update of \(characteristic.uuid)")
        return try await update(characteristic, to: bytes, for: central, timeout: timeout)
    }
}
