// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The typed value of a characteristic or descriptor, used on both sides: decoded by a central, served by a peripheral.
///
/// Decoding never traps. `WireError` says at which offset the bytes do not fit.
public protocol CharacteristicValue: Sendable {
    /// Reads a value. Octets behind the last field are ignored.
    init(decoding bytes: [UInt8]) throws(WireError)

    /// The octets of the value.
    func encoded() throws(WireError) -> [UInt8]

    /// The value under the names that `decode` and JSON output use.
    var fields: FieldValue { get }
}

/// A value whose fields are listed once, for reading, writing and showing alike.
///
/// ```swift
/// struct Level: ListedValue {
///     var percent: UInt8 = 0
///     mutating func visit(_ coder: inout ValueCoder) throws(WireError) {
///         try coder.integer("percent", &percent)
///     }
/// }
/// ```
public protocol ListedValue: CharacteristicValue {
    /// A value of zeros.
    init()

    /// Shows every field to `coder` in the order of the octets.
    mutating func visit(_ coder: inout ValueCoder) throws(WireError)
}

extension ListedValue {
    /// Reads a value. Octets behind the last field are ignored.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self.init()
        var coder = ValueCoder(reading: bytes)
        try visit(&coder)
    }

    /// The octets of the value.
    public func encoded() throws(WireError) -> [UInt8] {
        var coder = ValueCoder.writing()
        var copy = self
        try copy.visit(&coder)
        return coder.bytes
    }

    /// The value under the names that `decode` and JSON output use.
    public var fields: FieldValue {
        var coder = ValueCoder.listing()
        var copy = self
        do { try copy.visit(&coder) } catch { coder.list("error", .text(error.description)) }
        return .object(coder.members)
    }
}

/// A characteristic of a profile: its type, what it can do, and the type of its value.
///
/// ```swift
/// enum HeartRate: ServiceProfile {
///     static let uuid: BluetoothUUID = 0x180D
///     static let measurement = CharacteristicProfile<HeartRateMeasurement>(0x2A37, .notify)
/// }
/// ```
public struct CharacteristicProfile<Value: CharacteristicValue>: Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// What it can do, as the service's specification asks for.
    public let properties: CharacteristicProperties
    /// Who may do it; by default everybody may do what the properties say.
    public let permissions: AttributePermissions
    /// What people call it: the name given, else the assigned one, else the number.
    public let name: String
    /// What a peripheral serves at first; nil for a value that the application makes.
    public let initialValue: Value?
    /// How the value is to be shown, served as descriptor 2904; nil for none.
    public let presentation: PresentationFormat?
    /// What the value is, served as descriptor 2901; nil for none.
    public let userDescription: String?

    /// Declares a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: The characteristic's type.
    ///   - properties: What it can do.
    ///   - permissions: Who may do it; nil lets everybody do what the properties say.
    ///   - name: What people call it; nil takes the assigned name, else the number.
    ///   - initialValue: What a peripheral serves at first.
    ///   - presentation: How the value is to be shown.
    ///   - userDescription: What the value is, for the user of a central.
    public init(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        name: String? = nil, initial initialValue: Value? = nil, presentation: PresentationFormat? = nil,
        description userDescription: String? = nil
    ) {
        self.uuid = uuid
        self.name = name ?? AssignedNumbers.characteristic(uuid)?.name ?? uuid.description
        self.initialValue = initialValue
        self.presentation = presentation
        self.userDescription = userDescription
        self.properties = properties
        let writes: CharacteristicProperties = [.write, .writeWithoutResponse, .signedWrite]
        self.permissions =
            permissions
            ?? AttributePermissions(
                read: properties.contains(.read) ? .open : nil,
                write: properties.isDisjoint(with: writes) ? nil : .open)
    }

    /// Reads a value of this characteristic.
    public func decode(_ bytes: [UInt8]) throws(WireError) -> Value { try Value(decoding: bytes) }

    /// The descriptors that tell name and form of the value to a central.
    public var descriptors: [DescriptorDefinition] {
        var list: [DescriptorDefinition] = []
        if let userDescription {
            list.append(
                DescriptorDefinition(uuid: 0x2901, permissions: .readable, value: .stored(Array(userDescription.utf8))))
        }
        if let octets = try? presentation?.encoded() {
            list.append(DescriptorDefinition(uuid: 0x2904, permissions: .readable, value: .stored(octets)))
        }
        return list
    }

    /// The characteristic as a peripheral serves it.
    ///
    /// - Parameter value: what is stored at first instead of ``initialValue``; without either the application answers
    ///   each request.
    /// - Throws: `WireError` when the value cannot be written.
    public func definition(_ value: Value? = nil) throws(WireError) -> CharacteristicDefinition {
        let source: ValueSource
        if let value = value ?? initialValue { source = .stored(try value.encoded()) } else { source = .dynamic }
        return CharacteristicDefinition(
            uuid: uuid, properties: properties, permissions: permissions, value: source, descriptors: descriptors)
    }
}

/// A service with its characteristics as static members.
public protocol ServiceProfile {
    /// The service's type.
    static var uuid: BluetoothUUID { get }
}

extension ServiceProfile {
    /// The name that the Bluetooth SIG or a vendor assigned, else the number.
    public static var name: String { AssignedNumbers.service(uuid)?.name ?? uuid.description }
}
