// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// Opens a channel and sends back every octet that comes.
final class SampleChannel: NSObject {
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var channel: CBL2CAPChannel?
    private let name: String
    private let psm: CBL2CAPPSM
    private var waiting = Data()
    private var total = 0

    init(name: String, psm: CBL2CAPPSM) {
        self.name = name
        self.psm = psm
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    private func sendWaiting() {
        guard let output = channel?.outputStream else { return }
        while !waiting.isEmpty, output.hasSpaceAvailable {
            let count = waiting.withUnsafeBytes { buffer in
                output.write(buffer.bindMemory(to: UInt8.self).baseAddress!, maxLength: buffer.count)
            }
            guard count > 0 else { return }
            waiting.removeFirst(count)
        }
    }
}

extension SampleChannel: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else {
            return
        }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(psm)
    }
}

extension SampleChannel: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
        guard let channel else {
            return say("error", ["message": error?.localizedDescription ?? ""])
        }
        self.channel = channel
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
        say("opened", ["psm": Int(channel.psm)])
    }
}

extension SampleChannel: StreamDelegate {
    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable:
            guard let input = aStream as? InputStream else { return }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            total += count
            waiting.append(contentsOf: buffer[..<count])
            sendWaiting()
        case .hasSpaceAvailable: sendWaiting()
        case .endEncountered where aStream is InputStream: say("ended", ["total": total])
        default: break
        }
    }
}
