// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The one advertisement of a legacy controller.
struct Advertiser {
    var id: AdvertisementID?
    var isConnectable = false
    var completion: HostCompletion<AdvertisementID>?
    var lastNumber: UInt64 = 0
}

extension StackEngine {
    /// Starts to advertise; see ``Host/startAdvertising(_:completion:)``. A second advertisement is `unsupported`.
    public func startAdvertising(
        _ parameters: AdvertisingParameters, now: MonotonicTime, completion: @escaping HostCompletion<AdvertisementID>
    ) {
        self.now = now
        if let error = unavailable("advertise") { return completion(.failure(error)) }
        guard advertiser.id == nil else {
            return completion(
                .failure(
                    HostError(
                        .unsupported, "advertise",
                        detail: "this controller sends one advertisement at a time; stop the other")))
        }
        let layout: AdvertisingLayout
        do {
            layout = try AdvertisingLayout(parameters.content)
        } catch {
            return completion(.failure(error))
        }
        advertiser.lastNumber &+= 1
        advertiser.id = AdvertisementID(rawValue: advertiser.lastNumber)
        advertiser.isConnectable = parameters.isConnectable
        advertiser.completion = completion
        let interval = max(32, HCI.advertisingUnits(parameters.interval))
        let type: HCI.AdvertisingType =
            parameters.isConnectable ? .connectable : parameters.isScannable ? .scannable : .nonConnectable
        let number = advertiser.lastNumber
        // Data first: some controllers send what they have the moment they are enabled.
        command(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval, intervalMaximum: interval, type: type,
                ownAddressType: startup.ownAddressType, peerAddressKind: .public, peerAddress: .zero, channelMap: 7,
                filterPolicy: 0)
        ) { self.step(number, $0) }
        command(HCI.LESetAdvertisingData(data: layout.data)) { self.step(number, $0) }
        if type != .nonConnectable {
            command(HCI.LESetScanResponseData(data: layout.scanResponse)) { self.step(number, $0) }
        }
        command(HCI.LESetAdvertisingEnable(enable: true)) { [self] result in
            step(number, result)
            guard advertiser.id?.rawValue == number, let completion = advertiser.completion else {
                // Stopped, or failed, before it began.
                if case .success = result, advertiser.id == nil { command(HCI.LESetAdvertisingEnable(enable: false)) }
                return
            }
            advertiser.completion = nil
            completion(.success(AdvertisementID(rawValue: number)))
        }
    }

    /// Stops an advertisement. Does nothing when it has ended.
    public func stopAdvertising(_ advertisement: AdvertisementID, now: MonotonicTime) {
        self.now = now
        guard advertiser.id == advertisement else { return }
        let completion = advertiser.completion
        advertiser.id = nil
        advertiser.completion = nil
        completion?(.failure(HostError(.cancelled, "advertise")))
        guard state == .poweredOn else { return }
        command(HCI.LESetAdvertisingEnable(enable: false))
    }

    /// A central connected: connectable advertising has ended by itself. Core 5.4, Vol 4, Part E, 7.8.9.
    func advertisingConnected() {
        guard let id = advertiser.id, advertiser.isConnectable else { return }
        endAdvertisement(id, nil)
    }

    /// Ends the advertisement with one reason.
    func endAdvertising(_ error: HostError) {
        if let id = advertiser.id { endAdvertisement(id, error.during("advertise")) }
    }

    // MARK: - private

    private func endAdvertisement(_ id: AdvertisementID, _ error: HostError?) {
        let completion = advertiser.completion
        advertiser.id = nil
        advertiser.completion = nil
        if let completion {
            // A central was faster than the controller's answer: it did start.
            completion(error.map { .failure($0) } ?? .success(id))
            if error != nil { return }
        }
        emit(.advertisingEnded(id, reason: error))
    }

    private func step<Value>(_ number: UInt64, _ result: Result<Value, HostError>) {
        guard case .failure(let error) = result, advertiser.id?.rawValue == number else { return }
        endAdvertisement(AdvertisementID(rawValue: number), error.during("advertise"))
    }
}

/// The octets of an advertisement and its scan response, at most 31 each. Core 5.4, Vol 3, Part C, 11.
struct AdvertisingLayout: Hashable {
    static let limit = 31

    var data: [UInt8]
    var scanResponse: [UInt8]

    init(_ content: AdvertisingParameters.Content) throws(HostError) {
        switch content {
        case .raw(let data, let scanResponse):
            guard data.count <= Self.limit, scanResponse.count <= Self.limit else {
                throw HostError(
                    .invalidArgument, "advertise",
                    detail: "\(data.count) and \(scanResponse.count) octets; legacy advertisements hold 31 each")
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

    /// Into the advertisement as many as fit, the rest into the scan response; the list is called incomplete when some do not
    /// fit at all or are in the other packet.
    private mutating func append(_ services: [BluetoothUUID], size: Int, complete: UInt8) {
        guard !services.isEmpty else { return }
        let first = min(services.count, max(0, Self.limit - data.count - 2) / size)
        let rest = services[first...]
        let second = min(rest.count, max(0, Self.limit - scanResponse.count - 2) / size)
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
        if name.count + 2 <= Self.limit - data.count {
            data += [UInt8(name.count + 1), 0x09] + name
        } else {
            var count = min(name.count, Self.limit - scanResponse.count - 2)
            guard count > 0 else { return }
            // A shortened name ends between two characters.
            while count > 0, count < name.count, name[count] & 0xC0 == 0x80 { count -= 1 }
            guard count > 0 else { return }
            scanResponse += [UInt8(count + 1), count == name.count ? 0x09 : 0x08] + name[..<count]
        }
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
