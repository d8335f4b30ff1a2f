// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// The running advertisements: as many as the controller has sets, one on controllers of before Bluetooth 5.
struct Advertiser {
    /// One advertisement.
    struct Running {
        let id: AdvertisementID
        /// The controller's number of the set.
        let handle: UInt8
        let parameters: AdvertisingParameters
        var plan: AdvertisingPlan
        /// Told when it has begun.
        var completion: HostCompletion<AdvertisementID>?
        /// When the host ends it; controllers with sets do it themselves.
        var deadline = MonotonicTime.distantFuture
    }

    var running: [Running] = []
    var lastNumber: UInt64 = 0
    private var lastHandle: UInt8 = 0

    subscript(id: AdvertisementID) -> Running? { running.first { $0.id == id } }

    var isStarting: Bool { running.contains { $0.completion != nil } }
    var deadline: MonotonicTime { running.reduce(.distantFuture) { min($0, $1.deadline) } }

    mutating func update(_ id: AdvertisementID, _ change: (inout Running) -> Void) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        change(&running[index])
    }

    mutating func remove(_ id: AdvertisementID) -> Running? {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return nil }
        return running.remove(at: index)
    }

    /// A number that no set has, and none had just now: the end of an earlier one may still be told.
    mutating func freeHandle(of count: Int) -> UInt8? {
        let count = UInt8(clamping: max(1, min(count, 0xF0)))
        for step in 1...count {
            let handle = UInt8((Int(lastHandle) + Int(step)) % Int(count))
            guard !running.contains(where: { $0.handle == handle }) else { continue }
            lastHandle = handle
            return handle
        }
        return nil
    }
}

extension StackEngine {
    /// Starts to advertise; see `Host/startAdvertising(_:completion:)`.
    ///
    /// Side by side run as many as the controller has sets; with a controller of before Bluetooth 5, one. What is too much is
    /// `unsupported`.
    public func startAdvertising(
        _ parameters: AdvertisingParameters, now: MonotonicTime, completion: @escaping HostCompletion<AdvertisementID>
    ) {
        self.now = now
        if let error = unavailable("advertise") { return completion(.failure(error)) }
        let plan: AdvertisingPlan
        do throws(HostError) {
            plan = try AdvertisingPlan(parameters, advertisingLimits)
        } catch {
            return completion(.failure(error))
        }
        guard let handle = advertiser.freeHandle(of: startup.advertisingSets) else {
            let text =
                startup.advertisingSets > 1
                ? "this controller sends \(startup.advertisingSets) advertisements at a time; stop another"
                : "this controller sends one advertisement at a time; stop the other"
            return completion(.failure(HostError(.unsupported, "advertise", detail: text)))
        }
        advertiser.lastNumber &+= 1
        let id = AdvertisementID(rawValue: advertiser.lastNumber)
        advertiser.running.append(
            Advertiser.Running(id: id, handle: handle, parameters: parameters, plan: plan, completion: completion))
        if startup.isExtended {
            startSet(id, handle, plan)
        } else {
            startLegacy(id, plan)
        }
    }

    var advertisingLimits: AdvertisingPlan.Limits {
        AdvertisingPlan.Limits(
            isExtended: startup.isExtended, dataLength: startup.advertisingDataLength, features: startup.features)
    }

    /// Changes what an advertisement sends; see `Host/updateAdvertising(_:with:completion:)`.
    public func updateAdvertising(
        _ id: AdvertisementID, with update: AdvertisingUpdate, now: MonotonicTime,
        completion: @escaping HostCompletion<Void>
    ) {
        self.now = now
        let text = "change of an advertisement"
        if let error = unavailable(text) { return completion(.failure(error)) }
        guard let running = advertiser[id] else {
            return completion(.failure(HostError(.notFound, text, detail: "it has ended")))
        }
        do throws(HostError) {
            switch update {
            case .content(let content):
                var parameters = running.parameters
                parameters.content = content
                let plan = try AdvertisingPlan(parameters, advertisingLimits)
                guard plan.properties == running.plan.properties else {
                    throw HostError(.invalidArgument, detail: "a scan response can be neither added nor removed")
                }
                advertiser.update(id) {
                    $0.plan.data = plan.data
                    $0.plan.response = plan.response
                }
                changeData(running, plan) { completion($0.mapError { $0.during(text) }) }
            case .periodicData(let data):
                guard running.plan.periodic != nil else {
                    throw HostError(.wrongState, detail: "it has no periodic data")
                }
                guard data.count <= startup.advertisingDataLength else {
                    throw AdvertisingPlan.tooLong(data.count, advertisingLimits)
                }
                advertiser.update(id) { $0.plan.periodic?.data = data }
                changePeriodicData(running.handle, data) { completion($0.mapError { $0.during(text) }) }
            }
        } catch {
            completion(.failure(error.during(text)))
        }
    }

    /// Stops an advertisement. Does nothing when it has ended.
    public func stopAdvertising(_ advertisement: AdvertisementID, now: MonotonicTime) {
        self.now = now
        guard let running = advertiser.remove(advertisement) else { return }
        running.completion?(.failure(HostError(.cancelled, "advertise")))
        guard state == .poweredOn else { return }
        silence(running)
    }

    /// A central connected: connectable advertising has ended by itself. Core 5.4, Vol 4, Part E, 7.8.9. Of sets the controller
    /// tells it (7.7.65.18), before or behind the link (security H14).
    func advertisingConnected() {
        guard !startup.isExtended, let running = advertiser.running.first, running.plan.isConnectable else { return }
        endAdvertisement(running.id, nil)
    }

    /// A set ended by itself. Core 5.4, Vol 4, Part E, 7.7.65.18.
    func advertisingSetTerminated(_ event: HCI.LEAdvertisingSetTerminated) {
        guard let running = advertiser.running.first(where: { $0.handle == event.advertisingHandle }) else { return }
        silence(running)
        switch event.status {
        case .success: endAdvertisement(running.id, nil)
        case .advertisingTimeout, .limitReached: endAdvertisement(running.id, .advertisingIsOver)
        default: endAdvertisement(running.id, HostError(.refused, controller: event.status.rawValue))
        }
    }

    /// Ends all advertisements with one reason.
    func endAdvertising(_ error: HostError) {
        for running in advertiser.running { endAdvertisement(running.id, error) }
    }

    /// Ends those whose time is over.
    func tickAdvertising() {
        let now = now
        for running in advertiser.running where running.deadline <= now {
            silence(running)
            endAdvertisement(running.id, .advertisingIsOver)
        }
    }

    /// An advertisement has ended by itself.
    func endAdvertisement(_ id: AdvertisementID, _ error: HostError?) {
        guard let running = advertiser.remove(id) else { return }
        if let completion = running.completion {
            // A central was faster than the controller's answer: it did start.
            completion(error.map { .failure($0.during("advertise")) } ?? .success(id))
            if error != nil { return }
        }
        emit(.advertisingEnded(id, reason: error?.during("advertise")))
    }

    /// One command of many failed: the advertisement ends with it.
    func advertisingStep<Value>(_ id: AdvertisementID, _ result: Result<Value, HostError>) {
        guard case .failure(let error) = result, let running = advertiser[id] else { return }
        if startup.isExtended { silence(running) }
        endAdvertisement(id, error)
    }

    /// The controller has begun.
    func advertisingBegan(_ id: AdvertisementID) {
        guard let completion = advertiser[id]?.completion else { return }
        advertiser.update(id) { $0.completion = nil }
        completion(.success(id))
    }

    // MARK: - legacy controllers

    private func startLegacy(_ id: AdvertisementID, _ plan: AdvertisingPlan) {
        let interval = UInt16(clamping: plan.interval)
        // Data first: some controllers send what they have the moment they are enabled.
        command(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval, intervalMaximum: interval, type: plan.legacyType,
                ownAddressType: startup.ownAddressType, peerAddressKind: .public, peerAddress: .zero, channelMap: 7,
                filterPolicy: 0)
        ) { self.advertisingStep(id, $0) }
        setLegacyData(plan) { { self.advertisingStep(id, $0) } }
        command(HCI.LESetAdvertisingEnable(enable: true)) { [self] result in
            advertisingStep(id, result)
            guard advertiser[id] != nil else {
                // Stopped, or failed, before it began.
                if case .success = result, advertiser.running.isEmpty {
                    command(HCI.LESetAdvertisingEnable(enable: false))
                }
                return
            }
            if plan.duration > 0 {
                let end = now + .milliseconds(Int64(plan.duration) * 10)
                advertiser.update(id) { $0.deadline = end }
                arm(end)
            }
            advertisingBegan(id)
        }
    }

    private func setLegacyData(_ plan: AdvertisingPlan, _ step: () -> (Result<HCIEmpty, HostError>) -> Void) {
        command(HCI.LESetAdvertisingData(data: plan.data), step())
        if plan.legacyType != .nonConnectable {
            command(HCI.LESetScanResponseData(data: plan.response), step())
        }
    }

    /// Gives an advertisement other data. The last step, or the first that fails, ends it.
    private func changeData(
        _ running: Advertiser.Running, _ plan: AdvertisingPlan, _ completion: @escaping HostCompletion<Void>
    ) {
        let steps = Steps(completion)
        if startup.isExtended {
            changeSetData(running, plan, steps)
        } else {
            setLegacyData(plan) { steps.step() }
        }
        steps.seal()
    }

    /// The controller sends it no more.
    private func silence(_ running: Advertiser.Running) {
        if startup.isExtended {
            removeSet(running)
        } else {
            command(HCI.LESetAdvertisingEnable(enable: false))
        }
    }
}

/// Collects the results of several commands into one. Used on the engine's thread.
final class Steps {
    private var completion: HostCompletion<Void>?
    private var pending = 0
    private var isSealed = false

    init(_ completion: @escaping HostCompletion<Void>) { self.completion = completion }

    /// Where one more command tells its result.
    func step<Value>() -> (Result<Value, HostError>) -> Void {
        pending += 1
        return { [self] result in
            pending -= 1
            if case .failure(let error) = result { return end(.failure(error)) }
            if isSealed, pending == 0 { end(.success(())) }
        }
    }

    /// No more commands follow.
    func seal() {
        isSealed = true
        if pending == 0 { end(.success(())) }
    }

    private func end(_ result: Result<Void, HostError>) {
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }
}

extension HostError {
    /// An advertisement ran as long as it was to.
    static let advertisingIsOver = HostError(.timedOut, "advertise", detail: "its duration is over")
}
