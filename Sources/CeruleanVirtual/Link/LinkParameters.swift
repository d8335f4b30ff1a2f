// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Interval, latency and supervision timeout of a link.
struct LinkParameters: Hashable {
    /// Units of 1.25 ms, 6 to 3200.
    var interval: UInt16
    /// Events that the peripheral may skip, 0 to 499.
    var latency: UInt16
    /// Units of 10 ms, 10 to 3200.
    var supervisionTimeout: UInt16

    /// Nanoseconds between two events.
    var spacing: Int64 { Int64(interval) * 1_250_000 }
    /// Nanoseconds of silence after which the link is lost.
    var timeout: Int64 { Int64(supervisionTimeout) * 10_000_000 }

    /// Whether a host may ask for this. Core 5.4, Vol 4, Part E, 7.8.12 and 7.8.18.
    static func areValid(
        intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, supervisionTimeout: UInt16
    ) -> Bool {
        guard (6...3200).contains(intervalMinimum), (6...3200).contains(intervalMaximum),
            intervalMinimum <= intervalMaximum, latency <= 499, (10...3200).contains(supervisionTimeout)
        else { return false }
        // The timeout must be larger than (1 + latency) * interval * 2.
        return Int(supervisionTimeout) * 10_000 > (1 + Int(latency)) * Int(intervalMaximum) * 1_250 * 2
    }
}

/// Data lengths that one end wants and can do.
struct DataLength: Hashable {
    var octets: UInt16 = 27
    var time: UInt16 = 328

    /// The largest that the link layer knows, without and with LE Coded. Core 5.4, Vol 6, Part B, 4.5.10.
    static let largest = Self(octets: 251, time: 2120)
    static let largestCoded = Self(octets: 251, time: 17_040)

    /// Octets of one packet on a radio mode, at least 27. Core 5.4, Vol 6, Part B, 4.5.10.
    func limit(on phy: HCI.PHY) -> Int {
        let byTime =
            switch phy {
            case .le2M: Int(time) / 4 - 11
            // With the check of encryption, as 17,040 us for 251 octets are meant.
            case .leCoded: (Int(time) - 976) / 64
            default: Int(time) / 8 - 10
            }
        return max(27, min(Int(octets), byTime))
    }
}

/// How long packets last on the air. Core 5.4, Vol 6, Part B, 2.
enum AirTime {
    /// Between two packets of an event.
    static let interframeSpace: Int64 = 150_000

    /// Nanoseconds of a packet with `octets` of data.
    static func packet(_ octets: Int, on phy: HCI.PHY) -> Int64 {
        switch phy {
        case .le2M: Int64(octets + 11) * 4_000
        // Eight symbols for each bit: 376 us of preamble, address and mode, 24 us of tail. Vol 6, Part B, 2.2.
        case .leCoded: 400_000 + Int64(octets + 5) * 64_000
        default: Int64(octets + 10) * 8_000
        }
    }
}

/// What the link layers of a connection tell each other.
enum LinkControl {
    case featureRequest
    case featureResponse
    case versionRequest
    case versionResponse
    case lengthRequest
    case lengthResponse
    case parameterRequest(HCI.LEConnectionUpdate)
    case parameterReject(HCI.ErrorCode)
    case parameterIndication(LinkParameters, fromPeripheral: Bool)
    case phyRequest(tx: HCI.PHYMask, rx: HCI.PHYMask)
    case phyResponse(tx: HCI.PHYMask, rx: HCI.PHYMask)
    case phyIndication(centralToPeripheral: HCI.PHY, peripheralToCentral: HCI.PHY, fromPeripheral: Bool)
    case encryptionRequest(diversifier: UInt16, random: UInt64)
    case encryptionResponse
    case encryptionReject(HCI.ErrorCode)
    case encryptionStart
    case encryptionStartResponse
    case periodicSync(PeriodicInformation)
    case terminate(HCI.ErrorCode)

    /// Octets on the air. Core 5.4, Vol 6, Part B, 2.4.2.
    var size: Int {
        switch self {
        case .featureRequest, .featureResponse, .lengthRequest, .lengthResponse: 9
        case .versionRequest, .versionResponse: 6
        case .parameterRequest: 24
        case .parameterIndication: 12
        case .parameterReject, .phyRequest, .phyResponse: 3
        case .phyIndication: 5
        case .encryptionRequest: 23
        case .encryptionResponse: 13
        case .encryptionReject: 2
        case .encryptionStart, .encryptionStartResponse: 1
        case .periodicSync: 35
        case .terminate: 2
        }
    }
}

extension VirtualController {
    /// The largest data lengths that it can do.
    var largestLength: DataLength { configuration.features.contains(.leCoded) ? .largestCoded : .largest }
}
