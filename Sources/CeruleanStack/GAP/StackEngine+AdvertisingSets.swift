// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

// Advertising sets of controllers with extended advertising. Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.63. Such controllers are
// spoken to with extended commands alone, legacy packets included (3.1.1).
extension StackEngine {
    func startSet(_ id: AdvertisementID, _ handle: UInt8, _ plan: AdvertisingPlan) {
        let step: () -> (Result<HCIEmpty, HostError>) -> Void = { { self.advertisingStep(id, $0) } }
        // Numbers on the air differ as long as there are enough.
        let setID = advertiser[id]?.parameters.extended?.setID ?? handle & 0x0F
        command(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: handle, properties: plan.properties, intervalMinimum: plan.interval,
                intervalMaximum: plan.interval, channelMap: 7, ownAddressType: startup.ownAddressType,
                peerAddressKind: .public, peerAddress: .zero, filterPolicy: 0, txPower: 127,
                primaryPHY: plan.primaryPHY, maximumSkip: 0, secondaryPHY: plan.secondaryPHY, sid: setID,
                notifiesScanRequests: false)
        ) { self.advertisingStep(id, $0) }
        if startup.ownAddressType == .random, let address = airAddress {
            command(
                HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address.address), step())
        }
        setData(handle, plan, step)
        if let periodic = plan.periodic {
            let interval = UInt16(clamping: periodic.interval.wholeNanoseconds / 1_250_000)
            command(
                HCI.LESetPeriodicAdvertisingParameters(
                    advertisingHandle: handle, intervalMinimum: interval, intervalMaximum: interval,
                    properties: periodic.includesTXPower ? 0x40 : 0), step())
            setPeriodicData(handle, periodic.data, step)
            command(HCI.LESetPeriodicAdvertisingEnable(enable: 1, advertisingHandle: handle), step())
        }
        enableSets([(handle, plan.duration)]) { [self] result in
            advertisingStep(id, result)
            advertisingBegan(id)
        }
    }

    /// Data and scan response, each in as many commands as it needs.
    private func setData(
        _ handle: UInt8, _ plan: AdvertisingPlan, _ step: () -> (Result<HCIEmpty, HostError>) -> Void
    ) {
        if plan.isLegacy || !plan.properties.contains(.scannable) {
            for part in AdvertisingPlan.parts(of: plan.data) {
                command(
                    HCI.LESetExtendedAdvertisingData(
                        advertisingHandle: handle, operation: part.operation, allowsFragments: 0, data: part.data),
                    step())
            }
        }
        guard plan.properties.contains(.scannable) else { return }
        for part in AdvertisingPlan.parts(of: plan.response) {
            command(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: handle, operation: part.operation, allowsFragments: 0, data: part.data), step())
        }
    }

    private func setPeriodicData(
        _ handle: UInt8, _ data: [UInt8], _ step: () -> (Result<HCIEmpty, HostError>) -> Void
    ) {
        for part in AdvertisingPlan.parts(of: data) {
            command(
                HCI.LESetPeriodicAdvertisingData(
                    advertisingHandle: handle, operation: part.operation, data: part.data), step())
        }
    }

    func enableSets(
        _ sets: [(handle: UInt8, duration: UInt16)], _ done: @escaping (Result<HCIEmpty, HostError>) -> Void
    ) {
        command(
            HCI.LESetExtendedAdvertisingEnable(
                enable: true,
                sets: sets.map { .init(advertisingHandle: $0.handle, duration: $0.duration, maximumEvents: 0) }), done)
    }

    func disableSets(_ handles: [UInt8]) {
        guard !handles.isEmpty else { return }
        command(
            HCI.LESetExtendedAdvertisingEnable(
                enable: false,
                sets: handles.map { .init(advertisingHandle: $0, duration: 0, maximumEvents: 0) }))
    }

    /// Data in one command may change at any time; parts of it only while the set rests.
    func changeSetData(_ running: Advertiser.Running, _ plan: AdvertisingPlan, _ steps: Steps) {
        let rests = max(plan.data.count, plan.response.count) > AdvertisingPlan.partLength
        if rests { disableSets([running.handle]) }
        setData(running.handle, plan) { steps.step() }
        guard rests else { return }
        // The time that it may run counts anew: more than was asked for by at most what had passed.
        let step: (Result<HCIEmpty, HostError>) -> Void = steps.step()
        enableSets([(running.handle, running.plan.duration)]) { [self] result in
            step(result)
            advertisingStep(running.id, result)
        }
    }

    func changePeriodicData(_ handle: UInt8, _ data: [UInt8], _ completion: @escaping HostCompletion<Void>) {
        let steps = Steps(completion)
        let rests = data.count > AdvertisingPlan.partLength
        if rests { command(HCI.LESetPeriodicAdvertisingEnable(enable: 0, advertisingHandle: handle), steps.step()) }
        setPeriodicData(handle, data) { steps.step() }
        if rests { command(HCI.LESetPeriodicAdvertisingEnable(enable: 1, advertisingHandle: handle), steps.step()) }
        steps.seal()
    }

    func removeSet(_ running: Advertiser.Running) {
        if running.plan.periodic != nil {
            command(HCI.LESetPeriodicAdvertisingEnable(enable: 0, advertisingHandle: running.handle))
        }
        disableSets([running.handle])
        command(HCI.LERemoveAdvertisingSet(advertisingHandle: running.handle))
    }

    /// Gives all sets another random address; connectable ones rest meanwhile.
    func changeSetAddresses(_ address: BluetoothAddress) {
        let connectable = advertiser.running.filter(\.plan.isConnectable)
        disableSets(connectable.map(\.handle))
        for running in advertiser.running {
            command(HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: running.handle, address: address)) {
                self.advertisingStep(running.id, $0)
            }
        }
        guard !connectable.isEmpty else { return }
        enableSets(connectable.map { ($0.handle, $0.plan.duration) }) { [self] result in
            for running in connectable { advertisingStep(running.id, result) }
        }
    }
}
