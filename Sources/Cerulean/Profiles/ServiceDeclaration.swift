// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// A characteristic of a profile whatever the type of its value: for programs that show, edit and simulate what they do
/// not know by type.
///
/// ```swift
/// let level = AnyCharacteristicProfile(Battery.level)
/// level.texts(of: [80])                     // [TextField(name: "value", text: "80")]
/// try level.octets(from: ["value": "81"])   // [0x51]
/// ```
public struct AnyCharacteristicProfile: Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// What people call it.
    public let name: String
    /// What it can do.
    public let properties: CharacteristicProperties
    /// Who may do it.
    public let permissions: AttributePermissions
    /// What a peripheral serves at first; nil for a value that the application makes.
    public let initialValue: [UInt8]?
    /// How the value is to be shown.
    public let presentation: PresentationFormat?
    /// What the value is.
    public let userDescription: String?

    private let decoding: @Sendable ([UInt8]) throws(WireError) -> FieldValue
    private let showing: @Sendable ([UInt8]) throws(WireError) -> [TextField]
    private let listing: @Sendable () -> [TextField]
    private let parsing: @Sendable ([String: String], [UInt8]?) throws(TextError) -> [UInt8]
    private let making: @Sendable () -> LocalCharacteristic

    /// The same characteristic without the type of its value. Values that do not list their fields have no texts.
    public init<Value>(_ profile: CharacteristicProfile<Value>) {
        uuid = profile.uuid
        name = profile.name
        properties = profile.properties
        permissions = profile.permissions
        initialValue = try? profile.initialValue?.encoded()
        presentation = profile.presentation
        userDescription = profile.userDescription
        decoding = { bytes throws(WireError) in try Value(decoding: bytes).fields }
        showing = { bytes throws(WireError) in
            guard let value = try Value(decoding: bytes) as? any ListedValue else { return [] }
            return value.texts
        }
        listing = { (Value.self as? any ListedValue.Type)?.init().texts ?? [] }
        parsing = { texts, base throws(TextError) in try Self.parse(Value.self, texts, base) }
        making = { LocalCharacteristic(profile) }
    }

    /// The value's fields by name.
    ///
    /// - Throws: `WireError` when the octets do not hold such a value.
    public func fields(of octets: [UInt8]) throws(WireError) -> FieldValue { try decoding(octets) }

    /// The value's fields as texts; none for values that do not list their fields.
    ///
    /// - Throws: `WireError` when the octets do not hold such a value.
    public func texts(of octets: [UInt8]) throws(WireError) -> [TextField] { try showing(octets) }

    /// The fields of a value of zeros: their names, and what may be written into them. None for values that do not list
    /// their fields.
    public var emptyTexts: [TextField] { listing() }

    /// The octets of a value given as texts.
    ///
    /// - Parameters:
    ///   - texts: The fields by name.
    ///   - octets: A value whose other fields stay; nil wants all fields that are not optional.
    /// - Throws: ``TextError``, which names the field and the character.
    public func octets(from texts: [String: String], changing octets: [UInt8]? = nil) throws(TextError) -> [UInt8] {
        try parsing(texts, octets)
    }

    /// The characteristic as a peripheral serves it, with its initial value. Writes that hold no such value are
    /// refused.
    public func local() -> LocalCharacteristic { making() }

    private static func parse<Value: CharacteristicValue>(
        _ type: Value.Type, _ texts: [String: String], _ base: [UInt8]?
    ) throws(TextError) -> [UInt8] {
        guard let listed = type as? any ListedValue.Type else {
            throw TextError(field: "", position: 0, reason: "the value has no text form")
        }
        return try encode(listed, texts, base)
    }

    private static func encode<Value: ListedValue>(
        _ type: Value.Type, _ texts: [String: String], _ base: [UInt8]?
    ) throws(TextError) -> [UInt8] {
        var value: Value
        if let base {
            do { value = try Value(decoding: base) } catch {
                throw TextError(field: "", position: 0, reason: "the present value does not fit: \(error)")
            }
            try value.set(texts: texts)
        } else {
            value = try Value(texts: texts)
        }
        do { return try value.encoded() } catch { throw TextError(field: "", position: 0, reason: "\(error)") }
    }
}

/// A service declared once, for both sides: what a central finds in it and what a peripheral serves.
///
/// ```swift
/// let hello = ServiceDeclaration("2F0A0000-69AA-F316-3E78-4194989A6C1A", name: "Hello World", tag: "Examples") {
///     greeting
///     updatePeriod
/// }
/// try await server.publish { hello.local() }
/// ```
public struct ServiceDeclaration: Sendable {
    /// The service's type.
    public let uuid: BluetoothUUID
    /// What people call it: the name given, else the assigned one, else the number.
    public let name: String
    /// Where programs that browse profiles show it.
    public let tag: String
    /// Its characteristics in order.
    public let characteristics: [AnyCharacteristicProfile]

    /// Declares a service.
    ///
    /// - Parameters:
    ///   - uuid: The service's type.
    ///   - name: What people call it; nil takes the assigned name, else the number.
    ///   - tag: Where programs that browse profiles show it.
    ///   - characteristics: Its characteristics in order.
    public init(
        _ uuid: BluetoothUUID, name: String? = nil, tag: String = "Miscellaneous",
        @ListBuilder<AnyCharacteristicProfile> _ characteristics: () -> [AnyCharacteristicProfile]
    ) {
        self.uuid = uuid
        self.name = name ?? AssignedNumbers.service(uuid)?.name ?? uuid.description
        self.tag = tag
        self.characteristics = characteristics()
    }

    /// The first characteristic of a type.
    public func characteristic(_ uuid: BluetoothUUID) -> AnyCharacteristicProfile? {
        characteristics.first { $0.uuid == uuid }
    }

    /// The service as a peripheral serves it, each characteristic with its initial value.
    ///
    /// - Parameter own: Characteristics of one's own, with handlers or other values: each takes the place of the
    ///   first one of its type; those of other types come behind.
    public func local(replacing own: [LocalCharacteristic] = []) -> LocalService {
        var left = own
        var all: [LocalCharacteristic] = []
        for profile in characteristics {
            if let index = left.firstIndex(where: { $0.uuid == profile.uuid }) {
                all.append(left.remove(at: index))
            } else {
                all.append(profile.local())
            }
        }
        return LocalService(uuid, characteristics: all + left)
    }
}

extension ListBuilder where Element == AnyCharacteristicProfile {
    /// A characteristic with a type of value.
    public static func buildExpression<Value>(_ profile: CharacteristicProfile<Value>) -> [AnyCharacteristicProfile] {
        [AnyCharacteristicProfile(profile)]
    }
}

/// The services that a program knows, by type and by tag.
public struct ProfileCatalog: Sendable {
    /// The services in the order of their addition.
    public private(set) var services: [ServiceDeclaration]

    /// A catalog of these services.
    public init(_ services: [ServiceDeclaration] = []) { self.services = services }

    /// Adds services behind the others.
    public mutating func add(_ more: ServiceDeclaration...) { services += more }

    /// The tags, each once, in the order in which they were first used.
    public var tags: [String] {
        var tags: [String] = []
        for service in services where !tags.contains(service.tag) { tags.append(service.tag) }
        return tags
    }

    /// The services with a tag.
    public func services(tag: String) -> [ServiceDeclaration] { services.filter { $0.tag == tag } }

    /// The first service of a type.
    public func service(_ uuid: BluetoothUUID) -> ServiceDeclaration? { services.first { $0.uuid == uuid } }

    /// The first characteristic of a type, in a service or in any.
    public func characteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
    ) -> AnyCharacteristicProfile? {
        services.lazy.filter { service == nil || $0.uuid == service }.compactMap { $0.characteristic(uuid) }.first
    }
}
