// SPDX-License-Identifier: Apache-2.0
// An application as Apple's documentation teaches it: nothing in it knows of Cerulean. Tests run it against Bumble.
//
//   sample central [--restore ID]     finds the service FFF0, reads, writes and subscribes; says what it hears
//   sample peripheral [--restore ID]  offers the service FFF0 as "Sample"; each line on standard input is notified
//   sample channel NAME PSM           opens a channel to the device of that name and sends back what comes
//
// Every line on standard output is a JSON object with "event". The adapter is the system's: CERULEAN_ADAPTER on Linux.

import CoreBluetooth

setlinebuf(stdout)

func say(_ event: String, _ values: [String: Any] = [:]) {
    var object = values
    object["event"] = event
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else { return }
    print(String(decoding: data, as: UTF8.self))
}

func hex(_ data: Data?) -> String { (data ?? Data()).map { String(format: "%02x", $0) }.joined() }

let arguments = CommandLine.arguments
let restoreIdentifier = arguments.firstIndex(of: "--restore").flatMap { index in
    arguments.indices.contains(index + 1) ? arguments[index + 1] : nil
}

switch arguments.dropFirst().first {
case "central":
    let app = SampleCentral(restoreIdentifier: restoreIdentifier)
    withExtendedLifetime(app) { dispatchMain() }
case "peripheral":
    let app = SamplePeripheral(restoreIdentifier: restoreIdentifier)
    DispatchQueue.global().async {
        while let line = readLine() {
            DispatchQueue.main.async { app.send(Data(line.utf8)) }
        }
        exit(0)
    }
    withExtendedLifetime(app) { dispatchMain() }
case "channel" where arguments.count == 4:
    let app = SampleChannel(name: arguments[2], psm: CBL2CAPPSM(arguments[3]) ?? 0)
    // Streams are served by the run loop.
    withExtendedLifetime(app) { RunLoop.main.run() }
default:
    say("error", ["message": "usage: sample central|peripheral [--restore ID] | channel NAME PSM"])
    exit(2)
}
