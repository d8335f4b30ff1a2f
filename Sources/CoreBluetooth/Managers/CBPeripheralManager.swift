// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CeruleanHost
public import Dispatch
public import Foundation

/// Publishes services, advertises them and answers centrals.
///
/// All calls may come from any thread; the delegate is called on the queue that was named, the main queue when that is
/// nil.
/// ```swift
/// let level = CBMutableCharacteristic(
///     type: CBUUID(string: "2A19"), properties: [.read, .notify], value: nil, permissions: .readable)
/// let battery = CBMutableService(type: CBUUID(string: "180F"), primary: true)
/// battery.characteristics = [level]
/// manager.add(battery)
/// ```
open class CBPeripheralManager: CBManager {
    struct Storage {
        weak var delegate: (any CBPeripheralManagerDelegate)?
        var isAdvertising = false
        var advertisingNumber: UInt64 = 0
        /// What is advertised, or about to be.
        var advertisement: SavedServer.Advertisement?
        var lastNumber = 0
        var services: [PublishedObject] = []
        var characteristics: [Int: CBMutableCharacteristic] = [:]
        /// The centrals that the application may hold, and those that are subscribed.
        var known: [UUID: Weak<CBCentral>] = [:]
        var held: [UUID: CBCentral] = [:]
        /// Updates that the host has not taken, and whether somebody was told to wait.
        var waitingUpdates = 0
        var isFull = false
        var restored: RestoredServer?
        var isRestorationTold = false
    }

    /// A service that was added.
    struct PublishedObject {
        var number: Int
        var service: CBMutableService
        var characteristics: [Int]
        var isPublished = false
    }

    /// Updates that are taken before `updateValue` says no, and how many may be left when it says yes again.
    static let updateWindow = (full: 20, ready: 10)

    let server = Guarded(Storage())
    package let restoration: RestorationFile?

    /// Who hears of events. Not kept.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { server { $0.delegate } }
        set { server { $0.delegate = newValue } }
    }

    /// Whether it advertises.
    open var isAdvertising: Bool { server { $0.isAdvertising } }

    /// Whether the process may share data.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        authorization == .allowedAlways ? .authorized : .denied
    }

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager without options.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// A manager on the system's adapter.
    ///
    /// - Parameters:
    ///   - delegate: hears of events; not kept.
    ///   - queue: a serial queue for the delegate; nil is the main queue.
    ///   - options: keys that begin with `CBPeripheralManagerOption`.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil
    ) {
        restoration = RestorationFile(
            .peripheral, identifier: options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String)
        let adapter = options?[CBPeripheralManagerOptionLinuxAdapter] as? CBLinuxAdapter ?? .system
        super.init(ManagerCore(queue: queue, source: adapter.peripheral))
        self.delegate = delegate
        start()
    }

    deinit { end() }

    /// Advertises a name (``CBAdvertisementDataLocalNameKey``) and services (``CBAdvertisementDataServiceUUIDsKey``);
    /// other keys are ignored. Goes on until it is stopped, connections included.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isReady(for: "startAdvertising(_:)") else { return }
        advertise(advertisementData ?? [:])
    }

    /// Stops to advertise.
    open func stopAdvertising() {
        guard isReady(for: "stopAdvertising()") else { return }
        endAdvertising()
    }

    /// Asks for another speed of the link to a central. There is no answer.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard isReady(for: "setDesiredConnectionLatency(_:for:)") else { return }
        let request: ConnectionParameterRequest =
            switch latency {
            case .low:
                ConnectionParameterRequest(minimumInterval: .milliseconds(15), maximumInterval: .milliseconds(30))
            case .medium:
                ConnectionParameterRequest(minimumInterval: .milliseconds(60), maximumInterval: .milliseconds(120))
            case .high:
                ConnectionParameterRequest(
                    minimumInterval: .milliseconds(285), maximumInterval: .milliseconds(510), latency: 2,
                    supervisionTimeout: .seconds(6))
            }
        let peer = central.peer
        core.onRadio { $0.requestLatency(request, peer) }
    }

    /// Publishes a service. The services that it includes come first.
    open func add(_ service: CBMutableService) {
        guard isReady(for: "add(_:)") else { return }
        publish(service)
    }

    /// Withdraws a service.
    open func remove(_ service: CBMutableService) {
        guard isReady(for: "remove(_:)") else { return }
        withdraw(service)
    }

    /// Withdraws all services.
    open func removeAllServices() {
        guard isReady(for: "removeAllServices()") else { return }
        withdrawAll()
    }

    /// Answers a read, or a batch of writes through its first request. Once each.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) { answer(request, result) }

    /// Sends a value to subscribers, to all of them for nil. False when there is no room: nothing was sent, and
    /// `peripheralManagerIsReady(toUpdateSubscribers:)` will tell when to send it again.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        update(Array(value), characteristic, centrals)
    }

    /// Publishes a listener for channels; its number is chosen by the system.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        guard isReady(for: "publishL2CAPChannel(withEncryption:)") else { return }
        openListener(encryptionRequired)
    }

    /// Withdraws a listener, with its channels.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        guard isReady(for: "unpublishL2CAPChannel(_:)") else { return }
        closeListener(PSM)
    }

    override func radioChanged(_ state: CBManagerState) { stateChanged(state) }
}
