// SPDX-License-Identifier: Apache-2.0

/// A board as its advertised number names it. bluest.md §2.
///
/// ```swift
/// Board(id: 0x06, protocolVersion: 1).token   // "SENSOR_TILE_BOX"
/// ```
public struct Board: Hashable, Sendable {
    /// What a board is built around; decides how its firmware is upgraded.
    public enum Family: String, Sendable, CaseIterable {
        /// BlueNRG, upgraded through its own service.
        case blueNRG
        /// Sensor nodes upgraded over the debug console.
        case iot
        /// Nucleo boards with expansion boards.
        case nucleo
        /// Boards that carry an STM32WB module.
        case wbBased
        /// STM32WB.
        case wb
        /// STM32WBA.
        case wba
        /// Anything else.
        case other
    }

    /// The number that is advertised.
    public var id: UInt8
    /// The name in capitals, `SENSOR_TILE_BOX`; `GENERIC` for a number that no board has.
    public var token: String
    /// The name for people.
    public var name: String
    /// The family.
    public var family: Family

    init(_ id: UInt8, _ token: String, _ name: String, _ family: Family) {
        self.id = id
        self.token = token
        self.name = name
        self.family = family
    }

    /// The board of a number; version 1 and version 2 of the protocol give some numbers different meanings. Unknown
    /// numbers are `GENERIC`.
    public init(id: UInt8, protocolVersion: UInt8) {
        let column = protocolVersion == 1 ? Self.version1 : Self.version2
        self =
            column.first { $0.id == id } ?? Self.common.first { $0.id == id }
            ?? Board(id, "GENERIC", "Generic board", .other)
    }

    /// The board called `token`, in any case, with the number and the protocol version under which it is known.
    public static func named(_ token: String) -> (board: Board, protocolVersion: UInt8)? {
        let wanted = token.uppercased()
        if let board = common.first(where: { $0.token == wanted }) {
            let isNew = (0x0A...0x13).contains(board.id) || board.id >= 0x8D
            return (board, isNew ? 2 : 1)
        }
        if let board = version2.first(where: { $0.token == wanted }) { return (board, 2) }
        return version1.first { $0.token == wanted }.map { ($0, 1) }
    }

    /// Whether a version 1 advertisement with this octet means a board, not a number with flags. bluest.md §1.3, rule
    /// 1.
    static func isKnownInVersion1(_ octet: UInt8) -> Bool {
        version1.contains { $0.id == octet } || common.contains { $0.id == octet }
    }

    /// Boards whose number means the same in both versions, by number.
    public static let common: [Board] = [
        Board(0x00, "GENERIC", "Generic board", .other),
        Board(0x01, "STEVAL_WESU1", "Wearable sensor unit WeSU", .iot),
        Board(0x02, "SENSOR_TILE", "SensorTile", .iot),
        Board(0x03, "BLUE_COIN", "BlueCoin", .iot),
        Board(0x04, "STEVAL_IDB008VX", "BlueNRG evaluation board", .blueNRG),
        Board(0x05, "STEVAL_BCN002V1", "BlueNRG-Tile", .blueNRG),
        Board(0x06, "SENSOR_TILE_BOX", "SensorTile.box", .iot),
        Board(0x07, "DISCOVERY_IOT01A", "Discovery IoT node", .iot),
        Board(0x08, "STEVAL_STWINKIT1", "STWIN kit", .iot),
        Board(0x09, "STEVAL_STWINKT1B", "STWIN kit B", .iot),
        Board(0x0A, "B_L475E_IOT01A", "Discovery IoT node B-L475E-IOT01A", .iot),
        Board(0x0B, "B_U585I_IOT02A", "Discovery IoT node B-U585I-IOT02A", .iot),
        Board(0x0C, "ASTRA1", "ASTRA1", .iot),
        Board(0x0D, "SENSOR_TILE_BOX_PRO", "SensorTile.box PRO", .iot),
        Board(0x0E, "STWIN_BOX", "STWIN.box", .iot),
        Board(0x0F, "PROTEUS", "PROTEUS", .wbBased),
        Board(0x10, "STDES_CBMLORABLE", "STDES-CBMLoRaBLE", .wbBased),
        Board(0x11, "SENSOR_TILE_BOX_PROB", "SensorTile.box PRO B", .iot),
        Board(0x12, "STWIN_BOXB", "STWIN.box B", .iot),
        Board(0x13, "SENSOR_TILE_BOX_PROC", "SensorTile.box PRO C", .iot),
        Board(0x7A, "NUCLEO_U5A5ZJQ", "Nucleo-U5A5ZJ-Q", .nucleo),
        Board(0x7B, "NUCLEO_U575ZIQ", "Nucleo-U575ZI-Q", .nucleo),
        Board(0x7C, "NUCLEO_F446RE", "Nucleo-F446RE", .nucleo),
        Board(0x7D, "NUCLEO_L053R8", "Nucleo-L053R8", .nucleo),
        Board(0x7E, "NUCLEO_L476RG", "Nucleo-L476RG", .nucleo),
        Board(0x7F, "NUCLEO_F401RE", "Nucleo-F401RE", .nucleo),
        Board(0x80, "NUCLEO", "Nucleo", .nucleo),
        Board(0x81, "WB55_NUCLEO_BOARD", "STM32WB55 Nucleo", .wb),
        Board(0x86, "STM32WB_OTA", "STM32WB in its loader", .wb),
        Board(0x8D, "WB0X_NUCLEO_BOARD", "STM32WB0x Nucleo", .wb),
        Board(0x8E, "WBA65RI_NUCLEO_BOARD", "STM32WBA65RI Nucleo", .wba),
        Board(0x8F, "WB05_NUCLEO_BOARD", "STM32WB05 Nucleo", .wb),
        Board(0x90, "WBA2_NUCLEO_BOARD", "STM32WBA2 Nucleo", .wba),
        Board(0x91, "B_WBA5M_WPAN", "B-WBA5M-WPAN", .wba),
        Board(0x92, "STM32WBA65I_DK1", "STM32WBA65I-DK1", .wba),
        Board(0x9A, "ST67W6X", "ST67W6X", .other),
        Board(0xC3, "STEVALROBKIT", "STEVAL-ROBKIT", .other),
        Board(0xD1, "MEMSTWS2V0", "MEMS TWS 2.0", .other),
    ]

    /// Boards whose number has this meaning in version 1 only.
    public static let version1: [Board] =
        [0x82, 0x83, 0x84, 0x85, 0x87, 0x88, 0x89, 0x8A].map {
            Board($0, "WB55_NUCLEO_BOARD", "STM32WB55 Nucleo", .wb)
        } + [
            Board(0x8B, "WB55CG_NUCLEO_BOARD", "STM32WB55CG Nucleo", .wb),
            Board(0x8C, "WB55CG_NUCLEO_BOARD", "STM32WB55CG Nucleo", .wb),
        ]

    /// Boards whose number has this meaning in version 2 only.
    public static let version2: [Board] = [
        Board(0x82, "STM32WB5MM_DK", "STM32WB5MM-DK", .wb),
        Board(0x83, "WB55_USB_DONGLE", "STM32WB55 USB dongle", .wb),
        Board(0x84, "WB15CC_NUCLEO", "STM32WB15CC Nucleo", .wb),
        Board(0x85, "B_WB1M_WPAN1", "B-WB1M-WPAN1", .wb),
        Board(0x8B, "WBA55CG_NUCLEO_BOARD", "STM32WBA55CG Nucleo", .wba),
        Board(0x8C, "STM32WBA55G_DK1", "STM32WBA55G-DK1", .wba),
    ]

    /// What a board does in the STM32WB peer-to-peer demonstration. Version 1 numbers only.
    public enum PeerRole: Hashable, Sendable {
        /// An end device, 1 to 6.
        case endDevice(Int)
        /// The router between them.
        case router
    }

    /// The role in the peer-to-peer demonstration, by the version 1 number.
    public var peerRole: PeerRole? {
        switch id {
        case 0x83: .endDevice(1)
        case 0x84: .endDevice(2)
        case 0x87: .endDevice(3)
        case 0x88: .endDevice(4)
        case 0x89: .endDevice(5)
        case 0x8A: .endDevice(6)
        case 0x85: .router
        default: nil
        }
    }
}
