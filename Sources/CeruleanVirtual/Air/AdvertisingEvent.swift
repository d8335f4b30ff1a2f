// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// What an advertising set sends at one event.
struct AdvertisingEvent {
    unowned let set: AdvertisingSet
    var properties: HCI.AdvertisingProperties
    /// As it is on the air; kind `.anonymous` when none is sent.
    var address: DeviceAddress
    /// As it is on the air.
    var target: DeviceAddress?
    var channelMap: UInt8
    var primaryPHY = HCI.PHY.le1M
    /// 0 when nothing is sent on the secondary channel.
    var secondaryPHY = HCI.PHY(rawValue: 0)
    var sid: UInt8 = 0xFF
    /// Changes with the data; duplicates are told by it.
    var did: UInt16 = 0
    /// dBm as it is sent along; 127 when it is not.
    var toldPower: Int8 = 127
    /// dBm as it is radiated.
    var power: Int8
    var data: [UInt8]
    /// Periodic advertising that can be synchronized to.
    var train: PeriodicTrain?

    var isLegacy: Bool { properties.contains(.legacy) }

    /// Mode in which the data travel.
    var dataPHY: HCI.PHY { isLegacy ? primaryPHY : secondaryPHY }
}

/// How data longer than one packet are cut, and how long they last on the air. Core 5.4, Vol 6, Part B, 2.3.4.
enum AdvertisingTime {
    /// Data in the first packet of the secondary channel, beside the longest extended header.
    static let firstCapacity = 215
    /// Data in each packet behind it.
    static let chainCapacity = 245
    /// Octets of an extended header, about.
    private static let header = 20
    /// Between two packets that point to each other.
    private static let gap: Int64 = 300_000

    /// Packets that carry `count` octets; at least one.
    static func packets(_ count: Int) -> Int {
        count <= firstCapacity ? 1 : 1 + (count - firstCapacity + chainCapacity - 1) / chainCapacity
    }

    /// Octets that the first `packets` of a chain hold.
    static func octets(in packets: Int) -> Int {
        packets <= 0 ? 0 : firstCapacity + (packets - 1) * chainCapacity
    }

    /// Nanoseconds from the start of an extended event to the end of its data.
    static func duration(of count: Int, primary: HCI.PHY, secondary: HCI.PHY, channelMap: UInt8) -> Int64 {
        let pointers = Int64((channelMap & 7).nonzeroBitCount) * (AirTime.packet(7, on: primary) + gap)
        return pointers + chain(of: count, on: secondary)
    }

    /// Nanoseconds of the data alone.
    static func chain(of count: Int, on phy: HCI.PHY) -> Int64 {
        let packets = packets(count)
        let empty = AirTime.packet(header, on: phy)
        let perOctet = AirTime.packet(header + 1, on: phy) - empty
        return Int64(packets) * (empty + gap) + Int64(count) * perOctet
    }
}
