// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// What a BlueST board says about itself before anyone connects. bluest.md §1.
///
/// ```swift
/// let found = try BlueSTAdvertisement(decoding: advertisement.raw)
/// print(found.board.name, found.featureMask.map { String($0, radix: 16) } ?? "no mask")
/// ```
public struct BlueSTAdvertisement: Hashable, Sendable {
    /// Why an advertisement is not a BlueST one.
    public enum Rejection: String, Error, Sendable, CustomStringConvertible {
        /// A structure runs past the end of the payload.
        case malformedAdStructure
        /// There is no manufacturer data.
        case noManufacturerData
        /// The manufacturer data has a length that no form has.
        case manufacturerDataLength
        /// The 14-octet form, but of another company.
        case companyIdentifier
        /// A version of the protocol that does not exist.
        case protocolVersion

        /// The name of the reason.
        public var description: String { rawValue }
    }

    /// What a version tells beyond the board.
    public enum Content: Hashable, Sendable {
        /// Version 1: one bit for each feature that the board exports.
        case features(mask: UInt32)
        /// Version 2: what firmware runs is in the option octets, four of them.
        case options([UInt8])
        /// Version 3: the data itself, connectionless.
        case payload(firmware: UInt8, protocolID: UInt16, [UInt8])
        /// A boot loader that waits for firmware.
        case loader
    }

    /// The company number of STMicroelectronics.
    public static let company: UInt16 = 0x0030

    /// The version of the protocol, 1 to 3.
    public var protocolVersion: UInt8
    /// The advertised name.
    public var name: String?
    /// Transmit power in dBm.
    public var txPower: Int8?
    /// The number of the board, without flags.
    public var deviceID: UInt8
    /// True if the board sleeps and must be woken. Version 1 only.
    public var isSleeping = false
    /// True if the board has general purpose characteristics. Version 1 only.
    public var hasGeneralPurpose = false
    /// The address in the payload.
    public var address: BluetoothAddress?
    /// What the version tells beyond that.
    public var content: Content

    /// Describes an advertisement, for a simulated board.
    public init(
        protocolVersion: UInt8, name: String?, deviceID: UInt8, content: Content, address: BluetoothAddress? = nil,
        isSleeping: Bool = false, hasGeneralPurpose: Bool = false, txPower: Int8? = nil
    ) {
        self.protocolVersion = protocolVersion
        self.name = name
        self.deviceID = deviceID
        self.content = content
        self.address = address
        self.isSleeping = isSleeping
        self.hasGeneralPurpose = hasGeneralPurpose
        self.txPower = txPower
    }

    /// The board.
    public var board: Board { Board(id: deviceID, protocolVersion: protocolVersion) }

    /// The features that the board exports, one bit each; nil except in version 1.
    public var featureMask: UInt32? {
        if case .features(let mask) = content { return mask }
        return nil
    }

    /// The number of the firmware in the catalogue. Version 2: the first option octet, or 256 and the second. bluest.md
    /// §1.4.
    public var firmwareID: Int? {
        switch content {
        case .options(let octets) where octets.count >= 2:
            return octets[0] != 0 ? Int(octets[0]) : 256 + Int(octets[1])
        case .payload(let firmware, _, _): return Int(firmware)
        default: return nil
        }
    }

    /// True for firmware that is in no catalogue. Version 2 only.
    public var isCustomFirmware: Bool {
        if case .options = content { return firmwareID == 0xFF }
        return false
    }

    /// The option octet that is the firmware's own first one. Version 2 only.
    public var firstOptionByteIndex: Int? {
        guard case .options(let octets) = content, let first = octets.first else { return nil }
        return first != 0 ? 1 : 2
    }
}

// MARK: - Decoding

extension BlueSTAdvertisement {
    /// Reads the octets of an advertisement, and of its scan response if there is one.
    ///
    /// - Throws: ``Rejection`` if it is not from a BlueST board.
    public init(decoding payload: [UInt8], scanResponse: [UInt8] = []) throws(Rejection) {
        var found = Structures()
        try found.collect(payload)
        try found.collect(scanResponse)
        self = try Self.choose(
            found.name ?? found.shortName, found.txPower, found.manufacturer, isBlueNRGLoader: found.isBlueNRGLoader)
    }

    /// The structures that matter here.
    private struct Structures {
        var name: String?
        var shortName: String?
        var txPower: Int8?
        var manufacturer: [[UInt8]] = []
        var isBlueNRGLoader = false

        mutating func collect(_ payload: [UInt8]) throws(Rejection) {
            var position = 0
            while position < payload.count {
                let length = Int(payload[position])
                // A zero ends the significant part early. Core 5.4, Vol 3, Part C, 11.
                if length == 0 { break }
                guard position + length < payload.count else { throw .malformedAdStructure }
                let data = Array(payload[position + 2..<position + 1 + length])
                switch payload[position + 1] {
                case 0x06, 0x07:
                    let first = Array(data.prefix(16))
                    if first == BlueSTAdvertisement.blueNRGLoader
                        || first.reversed() == BlueSTAdvertisement.blueNRGLoader
                    {
                        isBlueNRGLoader = true
                    }
                case 0x08: shortName = AdvertisingData.text(data)
                case 0x09: name = AdvertisingData.text(data)
                case 0x0A: txPower = data.first.map { Int8(bitPattern: $0) }
                case 0xFF: manufacturer.append(data)
                default: break
                }
                position += 1 + length
            }
        }
    }

    /// Reads decoded fields: for engines that split the company number off the manufacturer data, even when the board
    /// sent none.
    ///
    /// - Throws: ``Rejection`` if it is not from a BlueST board.
    public init(_ fields: AdvertisementFields) throws(Rejection) {
        let manufacturer = fields.manufacturerData.map { entry in
            [UInt8(truncatingIfNeeded: entry.company), UInt8(truncatingIfNeeded: entry.company >> 8)] + entry.data
        }
        let isLoader =
            fields.services.contains { $0.littleEndian128 == Self.blueNRGLoader }
            || fields.services.contains(BlueSTUUID.blueNRGService)
        self = try Self.choose(fields.name, fields.txPower, manufacturer, isBlueNRGLoader: isLoader)
    }

    /// The list entry by which the BlueNRG loader is known. bluest.md §1.5.
    static let blueNRGLoader: [UInt8] = [
        0x8A, 0x97, 0xF7, 0xC0, 0x85, 0x06, 0x11, 0xE3, 0xBA, 0xA7, 0x08, 0x00, 0x20, 0x0C, 0x9A, 0x66,
    ]

    private static func choose(
        _ name: String?, _ txPower: Int8?, _ manufacturer: [[UInt8]], isBlueNRGLoader: Bool
    ) throws(Rejection) -> Self {
        var rejection = Rejection.noManufacturerData
        for (index, data) in manufacturer.enumerated() {
            do {
                return try Self(name: name, txPower: txPower, manufacturer: data)
            } catch {
                if index == 0 { rejection = error }
            }
        }
        guard isBlueNRGLoader else { throw rejection }
        return Self(
            protocolVersion: 1, name: name ?? "BlueNRG OTA", deviceID: 0x04, content: .loader, txPower: txPower)
    }

    private init(name: String?, txPower: Int8?, manufacturer data: [UInt8]) throws(Rejection) {
        // Version 3 first: a payload of 14 octets must not be taken for version 2. bluest.md §1.1.
        if data.count >= 8, data.starts(with: [0x30, 0x00, 0x03]) {
            let content = Content.payload(
                firmware: data[4], protocolID: UInt16(data[5]) << 8 | UInt16(data[6]), Array(data[7...]))
            self.init(protocolVersion: 3, name: name, deviceID: data[3], content: content, txPower: txPower)
            return
        }
        var body = data[...]
        switch data.count {
        case 6, 12: break
        case 14:
            guard data.starts(with: [0x30, 0x00]) else { throw .companyIdentifier }
            body = data[2...]
        default: throw .manufacturerDataLength
        }
        let octets = Array(body)
        let address =
            octets.count == 12
            ? BluetoothAddress(rawValue: octets[6...].reduce(0) { $0 << 8 | UInt64($1) }) : nil
        let version = octets[0]
        let raw = octets[1]
        switch version {
        case 1:
            let mask = octets[2...5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let isPlain = Board.isKnownInVersion1(raw) || raw & 0x80 != 0
            self.init(
                protocolVersion: 1, name: name, deviceID: isPlain ? raw : raw & 0x1F,
                content: raw == 0x86 ? .loader : .features(mask: mask), address: address,
                isSleeping: !isPlain && raw & 0x40 != 0, hasGeneralPurpose: !isPlain && raw & 0x20 != 0,
                txPower: txPower)
        case 2:
            self.init(
                protocolVersion: 2, name: name, deviceID: raw, content: .options(Array(octets[2...5])),
                address: address, txPower: txPower)
        default: throw .protocolVersion
        }
    }
}

// MARK: - Encoding

extension BlueSTAdvertisement {
    /// The manufacturer data, for a simulated board.
    ///
    /// - Parameter withCompany: the 14-octet form, which current firmware sends. It needs an address; zeros stand in
    ///   for none.
    public func manufacturerData(withCompany: Bool) -> [UInt8] {
        var data: [UInt8] = withCompany ? [0x30, 0x00] : []
        switch content {
        case .features(let mask):
            let flags: UInt8 = (isSleeping ? 0x40 : 0) | (hasGeneralPurpose ? 0x20 : 0)
            data += [1, deviceID | flags] + (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * UInt32($0))) }
        case .options(let options): data += [2, deviceID] + (options + [0, 0, 0, 0]).prefix(4)
        case .payload(let firmware, let protocolID, let payload):
            let number = [UInt8(truncatingIfNeeded: protocolID >> 8), UInt8(truncatingIfNeeded: protocolID)]
            return [0x30, 0x00, 0x03, deviceID, firmware] + number + payload
        case .loader: data += [1, deviceID, 0, 0, 0, 0]
        }
        guard let address = address ?? (withCompany ? .zero : nil) else { return data }
        return data + (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> (40 - 8 * UInt64($0))) }
    }

    /// The octets of the advertisement: flags, name, transmit power if it fits, manufacturer data; at most 31.
    public func encoded(withCompany: Bool) -> [UInt8] {
        var payload: [UInt8] = [2, 0x01, 0x06]
        if content == .loader, board.family == .blueNRG {
            // This loader says what it is by its service alone. bluest.md §1.5.
            payload += [17, 0x06] + Self.blueNRGLoader
            let octets = Array((name ?? "").utf8.prefix(31 - payload.count - 2))
            return octets.isEmpty ? payload : payload + [UInt8(octets.count + 1), 0x09] + octets
        }
        let manufacturer = manufacturerData(withCompany: withCompany)
        let tail = [UInt8(truncatingIfNeeded: manufacturer.count + 1), 0xFF] + manufacturer
        if let name {
            let octets = Array(Array(name.utf8).prefix(max(0, 31 - payload.count - tail.count - 2)))
            payload += [UInt8(octets.count + 1), octets.count == name.utf8.count ? 0x09 : 0x08] + octets
        }
        if let txPower, payload.count + tail.count + 3 <= 31 { payload += [2, 0x0A, UInt8(bitPattern: txPower)] }
        return Array((payload + tail).prefix(31))
    }
}

// MARK: - Description

extension BlueSTAdvertisement {
    /// The members of the decoded form, in the names of the shared vectors.
    public var members: [FieldValue.Member] {
        var members: [FieldValue.Member] = [
            .init("protocolVersion", FieldValue(integer: protocolVersion)),
            .init("name", name.map { .text($0) } ?? .null),
        ]
        let board: [FieldValue.Member] = [
            .init("deviceId", .text(Self.hex(UInt32(deviceID), 2))), .init("board", .text(board.token)),
        ]
        if case .payload(let firmware, let protocolID, let payload) = content {
            return members + board + [
                .init("firmwareId", .text(Self.hex(UInt32(firmware), 2))),
                .init("protocolId", .text(Self.hex(UInt32(protocolID), 4))), .init("payloadHex", .bytes(payload)),
            ]
        }
        members.append(.init("txPower", txPower.map { FieldValue(integer: $0) } ?? .null))
        members += board
        members.append(.init("sleeping", .bool(isSleeping)))
        members.append(.init("hasGeneralPurpose", .bool(hasGeneralPurpose)))
        switch content {
        case .features(let mask): members.append(.init("featureMask", .text(Self.hex(mask, 8))))
        case .options(let options):
            members.append(.init("optionBytes", .list(options.map { FieldValue(integer: $0) })))
            members.append(.init("firmwareId", firmwareID.map { FieldValue(integer: $0) } ?? .null))
            members.append(.init("customFirmware", .bool(isCustomFirmware)))
            members.append(
                .init("firstOptionByteIndex", firstOptionByteIndex.map { FieldValue(integer: $0) } ?? .null))
        case .loader: members.append(.init("loader", .bool(true)))
        case .payload: break
        }
        members.append(.init("address", address.map { .text($0.description) } ?? .null))
        return members
    }

    static func hex(_ number: UInt32, _ digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
