// SPDX-License-Identifier: Apache-2.0

// The registers of the STEVAL-WESU1. bluest.md §11.
extension Register {
    /// All registers of the STEVAL-WESU1, by address.
    public static let wesu: [Register] =
        [
            Register("FW_VER", address: 0x00, access: .read, summary: "firmware version"),
            Register("LED_CONFIG", address: 0x02, summary: "LED behavior"),
            Register("BLE_LOC_NAME", address: 0x03, words: 8, targets: [.persistent], summary: "local name"),
            Register(
                "BATTERY_LEVEL", address: 0x03, access: .read, targets: [.session], summary: "battery level"),
            Register(
                "BATTERY_VOLTAGE", address: 0x04, words: 2, access: .read, targets: [.session],
                summary: "battery voltage"),
            Register("CURRENT", address: 0x06, words: 2, access: .read, targets: [.session], summary: "current"),
            Register(
                "PWRMNG_STATUS", address: 0x08, access: .read, targets: [.session], summary: "power management state"),
            Register("BLE_PUB_ADDR", address: 0x0B, words: 3, targets: [.persistent], summary: "public address"),
            Register("BLE_ADDR_TYPE", address: 0x0E, targets: [.persistent], summary: "address type"),
            Register("RADIO_TXPWR_CONFIG", address: 0x20, targets: [.persistent], summary: "transmit power"),
            Register("TIMER_FREQ", address: 0x21, summary: "main loop rate"),
            Register("PWR_MODE_CONFIG", address: 0x22, summary: "power mode"),
        ] + controls("GROUP_A_FEATURE_CTRLS", first: 0x24, bit: 16)
        + controls("GROUP_B_FEATURE_CTRLS", first: 0x35, bit: 0) + [
            Register("BLE_DEBUG_CONFIG", address: 0x45, summary: "debug output over the air"),
            Register("USART_DEBUG_CONFIG", address: 0x46, summary: "debug output over the wire"),
            Register("GROUP_A_CALIBRATION_MAP", address: 0x47, access: .read, targets: [.persistent]),
            Register("GROUP_B_CALIBRATION_MAP", address: 0x48, access: .read, targets: [.persistent]),
            Register("GROUP_A_FEATURES_MAP", address: 0x49, summary: "exported features, bits 31 to 16"),
            Register("GROUP_B_FEATURES_MAP", address: 0x4A, summary: "exported features, bits 15 to 0"),
            Register(
                "BLUENRG_INFO", address: 0x4C, words: 2, access: .read, targets: [.session], summary: "radio firmware"),
            Register("MAGNETOMETER_CALIBRATION_START", address: 0x60, targets: [.persistent]),
            Register("ACCELEROMETER_CONFIG_FS", address: 0x74, targets: [.persistent], summary: "full scale"),
            Register("ACCELEROMETER_CONFIG_ODR", address: 0x75, targets: [.persistent], summary: "rate"),
            Register("GYROSCOPE_CONFIG_FS", address: 0x76, targets: [.persistent], summary: "full scale"),
            Register("GYROSCOPE_CONFIG_ODR", address: 0x77, targets: [.persistent], summary: "rate"),
            Register("MAGNETOMETER_CONFIG_FS", address: 0x78, targets: [.persistent], summary: "full scale"),
            Register("MAGNETOMETER_CONFIG_ODR", address: 0x79, targets: [.persistent], summary: "rate"),
            Register(
                "ACCELEROMETER_EVENT_CONFIG", address: 0x7A,
                summary: "events of the accelerometer (ST's iOS library calls it the pressure sensor's full scale)"),
            Register("PRESSURE_CONFIG_ODR", address: 0x7B, targets: [.persistent], summary: "rate"),
            Register(
                "MOTION_FX_CALIBRATION_LIC_STATUS", address: 0x8C, words: 2, access: .read, targets: [.session],
                summary: "licence state"),
            Register(
                "MOTION_AR_CALIBRATION_LIC_STATUS", address: 0x8D, words: 2, access: .read, targets: [.session],
                summary: "licence state"),
            Register(
                "MOTION_CP_CALIBRATION_LIC_STATUS", address: 0x8E, words: 2, access: .read, targets: [.session],
                summary: "licence state"),
            Register("RTC_DATE_TIME", address: 0x90, words: 4, targets: [.session], summary: "clock"),
            Register(
                "DFU_REBOOT", address: 0xF0, access: .write, targets: [.session], summary: "enter firmware upgrade"),
            Register(
                "POWER_OFF", address: 0xF2, access: .write, targets: [.session],
                summary: "250 off, 251 restart, 253 standby with radio, 254 standby"),
        ]

    /// The register called `name`, in any case, or at the address `name` in hexadecimal (`0x02`).
    public static func wesu(named name: String, target: Target = .session) -> Register? {
        let wanted = name.uppercased()
        if let register = wesu.first(where: { $0.name == wanted }) { return register }
        guard wanted.hasPrefix("0X"), let address = UInt8(wanted.dropFirst(2), radix: 16) else { return nil }
        return wesu(at: address, target: target)
    }

    /// The register at an address. Address 03 is the name in the EEPROM and the battery level in memory.
    public static func wesu(at address: UInt8, target: Target) -> Register? {
        wesu.first { $0.address == address && $0.targets.contains(target) }
            ?? wesu.first { $0.address == address }
    }

    private static func controls(_ name: String, first: UInt8, bit: Int) -> [Register] {
        (0..<16).map { index in
            Register(
                "\(name)_\(index)", address: first + UInt8(index),
                summary: "output and subsampling of bit \(bit + index)")
        }
    }
}
