// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire
import Synchronization

/// A service that a ``PeripheralServer`` publishes.
///
/// ```swift
/// let level = LocalCharacteristic(Battery.level, BatteryLevel(percent: 100))
/// let battery = LocalService(Battery.uuid) {
///     level
///     LocalCharacteristic(0x2A07, .write, onWrite: { request in print(request.value) })
/// }
/// ```
public struct LocalService: Sendable {
    /// Its type.
    public var uuid: BluetoothUUID
    /// Primary, or only there to be included.
    public var isPrimary: Bool
    /// Services published before that it includes.
    public var includes: [AttributeID]
    /// Its characteristics in order.
    public var characteristics: [LocalCharacteristic]
    /// Wished first handle; nil takes the next free one.
    public var handle: UInt16?
    /// Wished last handle; nil takes what is needed.
    public var endHandle: UInt16?

    /// A service with these characteristics.
    public init(
        _ uuid: BluetoothUUID, isPrimary: Bool = true, includes: [AttributeID] = [],
        characteristics: [LocalCharacteristic]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
    }

    /// A service with the characteristics that are listed.
    public init(
        _ uuid: BluetoothUUID, isPrimary: Bool = true, includes: [AttributeID] = [],
        @ListBuilder<LocalCharacteristic> _ characteristics: () -> [LocalCharacteristic]
    ) {
        self.init(uuid, isPrimary: isPrimary, includes: includes, characteristics: characteristics())
    }

    /// A service of which nothing is asked at run time: each value is kept by the host.
    public init(_ definition: ServiceDefinition) {
        self.init(
            definition.uuid, isPrimary: definition.isPrimary, includes: definition.includes,
            characteristics: definition.characteristics.map { LocalCharacteristic($0) })
        handle = definition.handle
        endHandle = definition.endHandle
    }

    /// What the host serves.
    ///
    /// - Parameter asksAlways: Leave every value to us.
    func definition(asksAlways: Bool) -> ServiceDefinition {
        ServiceDefinition(
            uuid: uuid, isPrimary: isPrimary,
            characteristics: characteristics.map { $0.definition(asksAlways: asksAlways) }, includes: includes,
            handle: handle, endHandle: endHandle)
    }
}

/// A characteristic that a ``PeripheralServer`` serves. One object belongs to one published service.
public final class LocalCharacteristic: Sendable {
    /// Answers a read with the whole value; the server takes the part that was asked for.
    ///
    /// Runs on the host's executor until it awaits something: it must not block. Throw ``RequestFailure`` to refuse;
    /// any other error answers with "unlikely error" (0x0E).
    public typealias ReadHandler = @Sendable (ReadRequest) async throws -> [UInt8]

    /// Takes a write, or refuses it by throwing. The value is stored after it has returned.
    ///
    /// Runs on the host's executor until it awaits something: it must not block. Throw ``RequestFailure`` to refuse;
    /// any other error answers with "unlikely error" (0x0E).
    public typealias WriteHandler = @Sendable (WriteRequest) async throws -> Void

    private struct State {
        var id: AttributeID?
        var value: [UInt8]
        var isClaimed = false
        /// Wished handles.
        var declarationHandle: UInt16?
        var valueHandle: UInt16?
        /// The descriptors as they are now, with wished handles.
        var descriptors: [DescriptorDefinition]
        /// Where they are served, in the same order; empty until then.
        var descriptorIDs: [AttributeID] = []
    }

    /// Its type.
    public let uuid: BluetoothUUID
    /// What it can do.
    public let properties: CharacteristicProperties
    /// Who may do it.
    public let permissions: AttributePermissions
    /// Its descriptors, without the Client Characteristic Configuration, which the host adds; with the values that centrals
    /// wrote to them.
    public var descriptors: [DescriptorDefinition] { state.withLock { $0.descriptors } }
    let onRead: ReadHandler?
    let onWrite: WriteHandler?
    private let state: Mutex<State>

    /// A characteristic with a value that the server keeps and, where handlers are given, what they do at a request.
    ///
    /// - Parameters:
    ///   - uuid: Its type.
    ///   - properties: What it can do.
    ///   - permissions: Nil lets everybody do what the properties say.
    ///   - value: What is kept at first, at most 512 octets.
    ///   - descriptors: Its descriptors, but for the client configuration. The host keeps their values: those that say
    ///     `ValueSource.dynamic` are not published.
    ///   - onRead: Makes the value for each read; nil reads what is kept.
    ///   - onWrite: Decides about each write; nil takes everything.
    public init(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: [UInt8] = [], descriptors: [DescriptorDefinition] = [], onRead: ReadHandler? = nil,
        onWrite: WriteHandler? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions =
            permissions
            ?? AttributePermissions(
                read: properties.contains(.read) ? .open : nil,
                write: properties.isDisjoint(with: [.write, .writeWithoutResponse, .signedWrite]) ? nil : .open)
        self.onRead = onRead
        self.onWrite = onWrite
        state = Mutex(State(value: value, descriptors: descriptors))
    }

    /// A characteristic whose value the host keeps.
    public init(_ definition: CharacteristicDefinition) {
        uuid = definition.uuid
        properties = definition.properties
        permissions = definition.permissions
        onRead = nil
        onWrite = nil
        var kept: [UInt8] = []
        if case .stored(let value) = definition.value { kept = value }
        state = Mutex(
            State(
                value: kept, declarationHandle: definition.declarationHandle, valueHandle: definition.valueHandle,
                descriptors: definition.descriptors))
    }

    /// The attribute that holds the value; nil until it is published.
    public var id: AttributeID? { state.withLock { $0.id } }

    /// What is kept: the last value that was written or updated.
    public var value: [UInt8] { state.withLock { $0.value } }

    /// True when somebody of ours is asked at requests.
    var isAsked: Bool { onRead != nil || onWrite != nil }

    func definition(asksAlways: Bool) -> CharacteristicDefinition {
        let state = state.withLock { $0 }
        return CharacteristicDefinition(
            uuid: uuid, properties: properties, permissions: permissions,
            value: isAsked || asksAlways ? .dynamic : .stored(state.value), descriptors: state.descriptors,
            declarationHandle: state.declarationHandle, valueHandle: state.valueHandle)
    }

    /// Takes the values that it had in an earlier process, and its place where the handles are known.
    ///
    /// - Parameters:
    ///   - value: What was kept.
    ///   - handle: The handle of the value.
    ///   - descriptors: Value and handle of the descriptors with these places.
    func restore(
        _ value: [UInt8], handle: UInt16?, descriptors: [(index: Int, value: [UInt8], handle: UInt16?)]
    ) {
        state.withLock { state in
            state.value = value
            for one in descriptors where state.descriptors.indices.contains(one.index) {
                state.descriptors[one.index].value = .stored(one.value)
                state.descriptors[one.index].handle = one.handle ?? state.descriptors[one.index].handle
            }
            guard let handle, handle > 1 else { return }
            state.valueHandle = handle
            state.declarationHandle = handle - 1
        }
    }

    /// Where its descriptors are served, in their order.
    var descriptorIDs: [AttributeID] { state.withLock { $0.descriptorIDs } }

    /// Keeps what a central wrote to a descriptor.
    func store(_ value: [UInt8], of descriptor: AttributeID) {
        state.withLock { state in
            guard let index = state.descriptorIDs.firstIndex(of: descriptor) else { return }
            state.descriptors[index].value = .stored(value)
        }
    }

    /// False when it belongs to a service already.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    func unclaim() {
        state.withLock { state in
            state.isClaimed = false
            state.id = nil
            state.descriptorIDs = []
        }
    }

    func published(as identifiers: PublishedService.Characteristic) {
        state.withLock { state in
            state.id = identifiers.id
            // A host that says less knows no identifiers of descriptors.
            let isWhole = identifiers.descriptors.count == state.descriptors.count
            state.descriptorIDs = isWhole ? identifiers.descriptors : []
        }
    }
    func store(_ value: [UInt8]) { state.withLock { $0.value = value } }
}

extension LocalCharacteristic: Hashable {
    /// True for the same object.
    public static func == (a: LocalCharacteristic, b: LocalCharacteristic) -> Bool { a === b }
    /// Hashes the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Collects what is listed, with `if`, `for` and `switch`.
@resultBuilder
public enum ListBuilder<Element> {
    /// One element.
    public static func buildExpression(_ element: Element) -> [Element] { [element] }
    /// Several elements.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// All parts.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    /// A part that may be left out.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    /// The first of two.
    public static func buildEither(first part: [Element]) -> [Element] { part }
    /// The second of two.
    public static func buildEither(second part: [Element]) -> [Element] { part }
    /// A loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
}
