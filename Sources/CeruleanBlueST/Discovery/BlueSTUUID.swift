// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// The UUIDs of BlueST boards. bluest.md §3.
public enum BlueSTUUID {
    /// What a characteristic's UUID says about what it carries.
    public enum Kind: Hashable, Sendable {
        /// Basic features, one bit each: `MMMMMMMM-0001-11e1-ac36-0002a5d5c51b`.
        case features(mask: UInt32)
        /// One extended feature by number: `XXXXXXXX-0002-11e1-ac36-0002a5d5c51b`.
        case extended(UInt32)
        /// Octets of the firmware's own: `XXXXXXXX-0003-11e1-ac36-0002a5d5c51b`.
        case generalPurpose(UInt32)
        /// The debug console's input and output.
        case terminal
        /// The debug console's error output.
        case standardError
        /// The board's registers.
        case registers
        /// Commands to features.
        case commands
        /// Anything else.
        case other
    }

    static let characteristicLow: UInt64 = 0xAC36_0002_A5D5_C51B
    static let serviceLow: UInt64 = 0x9AB4_0002_A5D5_C51B

    /// What the UUID says.
    public static func kind(of uuid: BluetoothUUID) -> Kind {
        guard uuid.low == characteristicLow, uuid.high & 0xFFFF == 0x11E1 else { return .other }
        let number = UInt32(truncatingIfNeeded: uuid.high >> 32)
        switch (uuid.high >> 16 & 0xFFFF, number) {
        case (0x0001, _): return .features(mask: number)
        case (0x0002, _): return .extended(number)
        case (0x0003, _): return .generalPurpose(number)
        case (0x000E, 1): return .terminal
        case (0x000E, 2): return .standardError
        case (0x000F, 1): return .registers
        case (0x000F, 2): return .commands
        default: return .other
        }
    }

    /// The characteristic that carries the features of a mask, highest bit first.
    public static func features(_ mask: UInt32) -> BluetoothUUID { characteristic(mask, 0x0001) }
    /// The characteristic of an extended feature.
    public static func extended(_ number: UInt32) -> BluetoothUUID { characteristic(number, 0x0002) }
    /// A general purpose characteristic.
    public static func generalPurpose(_ number: UInt32) -> BluetoothUUID { characteristic(number, 0x0003) }

    /// The service of features.
    public static let featureService = service(0x0001)
    /// The service of the debug console.
    public static let debugService = service(0x000E)
    /// Console input and output.
    public static let terminal = characteristic(1, 0x000E)
    /// Console error output.
    public static let standardError = characteristic(2, 0x000E)
    /// The service of registers and commands.
    public static let configurationService = service(0x000F)
    /// Registers.
    public static let registers = characteristic(1, 0x000F)
    /// Commands to features.
    public static let commands = characteristic(2, 0x000F)

    /// STM32WB: the service of the peer-to-peer demonstration, where a restart into the loader is asked for too.
    public static let peerService: BluetoothUUID = "0000FE40-CC7A-482A-984A-7F2ED5B3E58F"
    /// STM32WB: LED and reboot of the peer-to-peer demonstration, write.
    public static let peerLED: BluetoothUUID = "0000FE41-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB: the button of the peer-to-peer demonstration, notify.
    public static let peerSwitch: BluetoothUUID = "0000FE42-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB: which end devices are connected, notify.
    public static let peerNetwork: BluetoothUUID = "0000FE51-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB: asks the application to restart into its loader, write.
    public static let rebootRequest: BluetoothUUID = "0000FE11-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB loader: the service.
    public static let loaderService: BluetoothUUID = "0000FE20-CC7A-482A-984A-7F2ED5B3E58F"
    /// STM32WB loader: control, write.
    public static let loaderControl: BluetoothUUID = "0000FE22-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB loader: what it is about to do, indicate.
    public static let loaderEvents: BluetoothUUID = "0000FE23-8E22-4541-9D4C-21EDAE82ED19"
    /// STM32WB loader: the image, write without response.
    public static let loaderData: BluetoothUUID = "0000FE24-8E22-4541-9D4C-21EDAE82ED19"

    /// BlueNRG loader: the service.
    public static let blueNRGService: BluetoothUUID = "8A97F7C0-8506-11E3-BAA7-0800200C9A66"
    /// BlueNRG loader: where the image may go, read.
    public static let blueNRGMemory: BluetoothUUID = "122E8CC0-8508-11E3-BAA7-0800200C9A66"
    /// BlueNRG loader: what will come, read and write.
    public static let blueNRGSettings: BluetoothUUID = "210F99F0-8508-11E3-BAA7-0800200C9A66"
    /// BlueNRG loader: the image, write without response.
    public static let blueNRGData: BluetoothUUID = "2691AA80-8508-11E3-BAA7-0800200C9A66"
    /// BlueNRG loader: what it expects next, notify.
    public static let blueNRGAck: BluetoothUUID = "2BDC5760-8508-11E3-BAA7-0800200C9A66"

    private static func characteristic(_ number: UInt32, _ group: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: UInt64(number) << 32 | group << 16 | 0x11E1, low: characteristicLow)
    }

    private static func service(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: number << 16 | 0x11E1, low: serviceLow)
    }
}
