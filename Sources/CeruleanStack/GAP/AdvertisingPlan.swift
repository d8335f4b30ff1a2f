// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What a controller is told of one advertisement.
struct AdvertisingPlan: Hashable {
    /// What a controller can do.
    struct Limits: Hashable {
        var isExtended: Bool
        /// Octets of data in a set.
        var dataLength: Int
        var features: HCI.LEFeatures
    }

    var properties: HCI.AdvertisingProperties
    var data: [UInt8]
    var response: [UInt8]
    /// Units of 0.625 ms.
    var interval: UInt32
    var primaryPHY = HCI.PHY.le1M
    var secondaryPHY = HCI.PHY.le1M
    var setID: UInt8 = 0
    var periodic: PeriodicAdvertising?
    /// Units of 10 ms; 0 without end.
    var duration: UInt16

    var isConnectable: Bool { properties.contains(.connectable) }
    var isLegacy: Bool { properties.contains(.legacy) }

    /// The kind of packets of a controller that knows legacy ones only.
    var legacyType: HCI.AdvertisingType {
        isConnectable ? .connectable : properties.contains(.scannable) ? .scannable : .nonConnectable
    }

    /// Checks what is wanted against what there is.
    init(_ parameters: AdvertisingParameters, _ limits: Limits) throws(HostError) {
        let ten = (parameters.duration?.wholeNanoseconds ?? 0) / 10_000_000
        guard parameters.duration == nil || (1...0xFFFF).contains(ten) else {
            throw HostError(.invalidArgument, "advertise", detail: "a duration goes from 10 ms to 655.35 s")
        }
        duration = UInt16(clamping: ten)
        interval = UInt32(clamping: max(32, min(16_384, parameters.interval.wholeNanoseconds / 625_000)))
        let isScannable = parameters.isScannable && !parameters.isConnectable
        if let wanted = parameters.extended {
            if limits.isExtended {
                properties = []
                data = []
                response = []
                try extend(parameters, wanted, isScannable: isScannable, limits)
                return
            }
            guard wanted.allowsLegacy, !wanted.isAnonymous, wanted.periodic == nil, wanted.primaryPHY == .le1M else {
                throw HostError(
                    .unsupported, "advertise", detail: "this controller has no extended advertising (Bluetooth 5)")
            }
        }
        let layout: AdvertisingLayout
        do throws(HostError) {
            layout = try AdvertisingLayout(parameters.content)
        } catch {
            guard parameters.extended != nil else { throw error }
            throw HostError(
                .unsupported, "advertise",
                detail: "this controller has no extended advertising, and legacy packets hold 31 octets")
        }
        properties =
            parameters.isConnectable
            ? [.legacy, .connectable, .scannable] : isScannable ? [.legacy, .scannable] : [.legacy]
        data = layout.data
        response = layout.scanResponse
    }

    /// Extended packets. Core 5.4, Vol 4, Part E, 7.8.53.
    private mutating func extend(
        _ parameters: AdvertisingParameters, _ wanted: ExtendedAdvertising, isScannable: Bool, _ limits: Limits
    ) throws(HostError) {
        let layout = try AdvertisingLayout(parameters.content, limit: limits.dataLength)
        // A set is scannable by its scan response; it has no other data then.
        let isScannable = isScannable && !layout.scanResponse.isEmpty
        func wrong(_ text: String) -> HostError { HostError(.invalidArgument, "advertise", detail: text) }
        if parameters.isConnectable { properties.insert(.connectable) }
        if isScannable { properties.insert(.scannable) }
        if wanted.isAnonymous { properties.insert(.anonymous) }
        if wanted.includesTXPower { properties.insert(.includesTXPower) }
        if wanted.isAnonymous, parameters.isConnectable || isScannable {
            throw wrong("an anonymous advertisement is neither connectable nor scannable")
        }
        if isScannable, !layout.data.isEmpty {
            throw wrong("a scannable extended advertisement has a scan response and no other data")
        }
        if !isScannable, !layout.scanResponse.isEmpty {
            throw wrong("an extended advertisement that is not scannable has no scan response")
        }
        if let periodic = wanted.periodic {
            guard !parameters.isConnectable, !isScannable, !wanted.isAnonymous else {
                throw wrong("periodic data goes with advertisements without connections, scan responses and anonymity")
            }
            guard limits.features.contains(.periodicAdvertising) else {
                throw HostError(.unsupported, "advertise", detail: "this controller has no periodic advertising")
            }
            guard periodic.data.count <= limits.dataLength else { throw Self.tooLong(periodic.data.count, limits) }
            guard periodic.interval >= .microseconds(7_500), periodic.interval <= .milliseconds(81_920) else {
                throw wrong("the periodic interval goes from 7.5 ms to 81.92 s")
            }
        }
        guard wanted.primaryPHY == .le1M || wanted.primaryPHY == .leCoded,
            (1...3).contains(wanted.secondaryPHY.rawValue), wanted.setID ?? 0 <= 15
        else { throw wrong("the primary mode is LE 1M or LE Coded, and a set's number is 0 to 15") }
        for phy in [wanted.primaryPHY, wanted.secondaryPHY] where !limits.features.has(phy) {
            throw HostError(.unsupported, "advertise", detail: "this controller has no \(phy)")
        }
        data = layout.data
        response = layout.scanResponse
        primaryPHY = wanted.primaryPHY
        secondaryPHY = wanted.secondaryPHY
        setID = wanted.setID ?? 0
        periodic = wanted.periodic
    }

    static func tooLong(_ count: Int, _ limits: Limits) -> HostError {
        HostError(
            .invalidArgument, "advertise", detail: "\(count) octets; this controller holds \(limits.dataLength)")
    }

    /// Data cut into the parts of commands: 251 octets each. Core 5.4, Vol 4, Part E, 7.8.54.
    static func parts(of data: [UInt8]) -> [(operation: HCI.DataOperation, data: [UInt8])] {
        guard data.count > partLength else { return [(.complete, data)] }
        return stride(from: 0, to: data.count, by: partLength).map { start in
            let end = min(start + partLength, data.count)
            return (start == 0 ? .first : end == data.count ? .last : .intermediate, Array(data[start..<end]))
        }
    }

    static let partLength = 251
}

extension HCI.LEFeatures {
    /// True if the controller has a radio mode.
    func has(_ phy: HCI.PHY) -> Bool {
        switch phy {
        case .le1M: true
        case .le2M: contains(.le2M)
        case .leCoded: contains(.leCoded)
        default: false
        }
    }
}

/// The octets of an advertisement and its scan response. Core 5.4, Vol 3, Part C, 11.
struct AdvertisingLayout: Hashable {
    var data: [UInt8]
    var scanResponse: [UInt8]
    private let limit: Int

    /// - Parameter limit: octets of each: 31 in legacy packets, up to 1,650 in extended ones.
    init(_ content: AdvertisingParameters.Content, limit: Int = 31) throws(HostError) {
        self.limit = limit
        switch content {
        case .raw(let data, let scanResponse):
            guard data.count <= limit, scanResponse.count <= limit else {
                throw HostError(
                    .invalidArgument, "advertise",
                    detail: "\(data.count) and \(scanResponse.count) octets; these advertisements hold \(limit) each")
            }
            self.data = data
            self.scanResponse = scanResponse
        case .fields(let name, let services):
            // LE General Discoverable, no BR/EDR.
            data = [0x02, 0x01, 0x06]
            scanResponse = []
            append(services.filter { $0.short != nil }, size: 2, complete: 0x03)
            append(services.filter { $0.short == nil && $0.medium != nil }, size: 4, complete: 0x05)
            append(services.filter { $0.medium == nil }, size: 16, complete: 0x07)
            if let name { append(name: Array(name.utf8)) }
        }
    }

    /// Octets of one structure at most: its length is one octet. Extended packets have no second place.
    private var room: Int { min(limit - data.count, 256) }
    private var responseRoom: Int { limit > 31 ? 0 : limit - scanResponse.count }

    /// Into the advertisement as many as fit, the rest into the scan response; the list is called incomplete when some do not
    /// fit at all or are in the other packet.
    private mutating func append(_ services: [BluetoothUUID], size: Int, complete: UInt8) {
        guard !services.isEmpty else { return }
        let first = min(services.count, max(0, room - 2) / size)
        let rest = services[first...]
        let second = min(rest.count, max(0, responseRoom - 2) / size)
        func list(_ part: ArraySlice<BluetoothUUID>) -> [UInt8] {
            guard !part.isEmpty else { return [] }
            let octets = part.flatMap { $0.littleEndian(size: size) }
            return [UInt8(octets.count + 1), part.count == services.count ? complete : complete - 1] + octets
        }
        data += list(services[..<first])
        scanResponse += list(rest.prefix(second))
    }

    private mutating func append(name: [UInt8]) {
        guard !name.isEmpty else { return }
        if name.count + 2 <= room {
            data += [UInt8(name.count + 1), 0x09] + name
            return
        }
        let isSecond = limit <= 31
        var count = min(name.count, (isSecond ? responseRoom : room) - 2)
        // A shortened name ends between two characters.
        while count > 0, count < name.count, name[count] & 0xC0 == 0x80 { count -= 1 }
        guard count > 0 else { return }
        let structure = [UInt8(count + 1), count == name.count ? 0x09 : 0x08] + name[..<count]
        if isSecond { scanResponse += structure } else { data += structure }
    }
}

extension BluetoothUUID {
    /// 2, 4 or 16 octets, least significant first.
    fileprivate func littleEndian(size: Int) -> [UInt8] {
        switch size {
        case 2, 4: (0..<size).map { UInt8(truncatingIfNeeded: (medium ?? 0) >> (8 * UInt32($0))) }
        default: littleEndian128
        }
    }
}
