// SPDX-License-Identifier: Apache-2.0

extension ProgramSpecification {
    /// The table of the program `cerulean`.
    static let cerulean = ProgramSpecification(
        name: "cerulean",
        summary: "Bluetooth Low Energy from the command line",
        shared: [
            .value(
                "adapter", "ADAPTER",
                "auto (default), virtual[:WORLD.json], hci:0, tcp:HOST:PORT, unix:PATH, serial:PATH[@BAUD]",
                choices: ["auto", "virtual", "hci:0", "tcp:", "unix:"]),
            .value("timeout", "SECONDS", "bounds finding a device and each operation on it (default 10)"),
            .flag("json", "one JSON object per line on standard output"),
            .value("trace", "FILE", "write all HCI packets to FILE, btsnoop or (.pcapng) pcapng"),
            .value("bonds", "FILE", "keep the keys of paired devices in FILE (default one for each adapter)"),
            .value(
                "log", "LEVEL", "talk on standard error: error, warning, info (default) or debug (every HCI packet)",
                choices: ["error", "warning", "info", "debug"]),
        ],
        selectors: [
            .value("address", "ADDRESS", "the device with this address, C4:7C:8D:00:11:22"),
            .value("name", "NAME", "the device with this name; case does not count, exact first, else the beginning"),
            .value("service", "UUID", "a device that advertises this service", repeats: true),
            .value("rssi-min", "DBM", "a device at least this strong, such as -70"),
            .value(
                "pick", "WHICH", "of several devices: strongest (default), first, or only (several are an error)",
                choices: ["strongest", "first", "only"]),
        ],
        verbs: [
            .demo, .scan, .info, .read, .write, .notify, .record, .convert, .play, .devices, .serial, .pair, .bonds,
            .unpair,
            .feature, .console, .registers, .fwupdate, .beacon, .simulate, .controller, .decode, .profiles, .trace,
        ] + scripts + [.bench, .doctor, .completions])

    /// The verb that needs what is only there on Linux.
    private static var scripts: [VerbSpecification] {
        #if canImport(CeruleanScript)
        [.script]
        #else
        []
        #endif
    }
}
