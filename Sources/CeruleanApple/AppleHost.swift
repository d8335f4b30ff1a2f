// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth)
public import CeruleanHost
public import CeruleanWire
package import CoreBluetooth
import Dispatch
import Foundation

/// A host on Apple's CoreBluetooth.
///
/// What that framework cannot do ends with `unsupported`: raw advertisements, connection parameters, choosing between
/// notifications and indications, reliable writes, deciding about pairing. So do channels, which the framework has as
/// streams of its own. Addresses and handles stay unknown. A
/// central that is connected to us shows itself with its first request or subscription, and is taken for gone when it
/// has unsubscribed from everything.
/// ```swift
/// let central = try await Central(.apple)
/// ```
public actor AppleHost: CeruleanHost.Host {
    /// The executor and clock of the host: the queue of its managers.
    public nonisolated let loop: any EventLoop
    /// `apple`.
    public nonisolated var name: String { "apple" }
    /// The loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How managers are made.
    struct Factory: Sendable {
        var central: @Sendable (any CBCentralManagerDelegate) -> CBCentralManager
        var server: @Sendable (any CBPeripheralManagerDelegate) -> CBPeripheralManager
    }

    private let factory: Factory
    let reference = HostReference()
    let delegate: AppleDelegate
    var central: CBCentralManager?
    var server: CBPeripheralManager?
    private var states = (central: CBManagerState.unknown, server: CBManagerState.unknown)
    /// Whether the adapter can be used.
    public private(set) var state = AdapterState.unknown
    private var starting: Operation<Void>?

    var sinks: [any HostEventSink] = []
    var operations: [OperationID: AnyOperation] = [:]
    var lastNumber: UInt64 = 0

    var scans: [UInt8: AppleScan] = [:]
    /// Peripherals that were seen or asked for, with what they are called.
    var peripherals: [PeerID: CBPeripheral] = [:]
    var seen: [PeerID] = []
    var wishes: [PeerID: [Operation<LinkInfo>]] = [:]
    var linkTable: [LinkID: AppleLink] = [:]

    var publishing: [Publishing] = []
    var services: [UInt64: LocalService] = [:]
    var characteristics: [ObjectIdentifier: LocalCharacteristic] = [:]
    var tokens: [RequestToken: [CBATTRequest]] = [:]
    var isFull = false
    var advertising: (id: AdvertisementID, completion: HostCompletion<AdvertisementID>?)?

    /// A host on the framework of the system.
    public init() {
        let loop = QueueLoop(label: "cerulean.apple")
        let queue = loop.queue
        self.init(
            loop: loop, central: { CBCentralManager(delegate: $0, queue: queue) },
            server: { CBPeripheralManager(delegate: $0, queue: queue) })
    }

    /// A host whose managers are made elsewhere: on Linux, over a simulated air.
    package init(
        loop: any EventLoop, central: @escaping @Sendable (any CBCentralManagerDelegate) -> CBCentralManager,
        server: @escaping @Sendable (any CBPeripheralManagerDelegate) -> CBPeripheralManager
    ) {
        self.loop = loop
        factory = Factory(central: central, server: server)
        delegate = AppleDelegate(reference)
        reference.host = self
    }

    /// What Apple's framework can do.
    public var capabilities: HostCapabilities { [.central, .peripheral, .batchesPreparedWrites] }
    /// Unknown.
    public var localAddress: DeviceAddress? { nil }

    // MARK: Start and stop

    /// Makes the managers. Ends when both are `poweredOn`, or one cannot become so.
    public func start(timeout: Duration, completion: @escaping HostCompletion<Void>) {
        guard state != .poweredOn else { return later { completion(.success(())) } }
        guard starting == nil else {
            return completion(.failure(HostError(.wrongState, "start", detail: "it is being started")))
        }
        starting = begin("start", nil, timeout, completion)
        if central == nil {
            states = (.unknown, .unknown)
            central = factory.central(delegate)
            server = factory.server(delegate)
        }
        evaluate()
    }

    /// Ends all links, scans and advertisements, and lets the managers go.
    public func stop(completion: @escaping HostCompletion<Void>) {
        let all = Array(linkTable.values)
        for link in all where link.peripheral != nil { drop(link) }
        server?.stopAdvertising()
        server?.removeAllServices()
        if central?.isScanning == true { central?.stopScan() }
        endEverything(HostError(.poweredOff, detail: "the host was stopped"))
        central = nil
        server = nil
        set(.poweredOff)
        later { completion(.success(())) }
    }

    func centralState(_ state: CBManagerState) {
        states.central = state
        evaluate()
    }

    func serverState(_ state: CBManagerState) {
        states.server = state
        evaluate()
    }

    private func evaluate() {
        guard central != nil, states.central != .unknown, states.server != .unknown else { return }
        let worst = states.central == .poweredOn ? states.server : states.central
        let new = AdapterState(worst)
        if new != .poweredOn, state == .poweredOn { endEverything(HostError(.poweredOff)) }
        set(new)
        guard let operation = starting else { return }
        starting = nil
        finish(operation, new == .poweredOn ? .success(()) : .failure(HostError(state: worst)))
    }

    private func set(_ new: AdapterState) {
        guard new != state else { return }
        state = new
        emit(.stateChanged(new))
    }

    private func endEverything(_ error: HostError) {
        for link in linkTable.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { closed(link, error) }
        for operation in operations.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { end(operation, error) }
        wishes = [:]
        for number in scans.keys.sorted() { emit(.scanEnded(ScanID(rawValue: number), error)) }
        scans = [:]
        services = [:]
        characteristics = [:]
        tokens = [:]
        let waiting = publishing
        publishing = []
        for job in waiting { job.completion(.failure(error)) }
        if let advertising {
            self.advertising = nil
            if let completion = advertising.completion {
                completion(.failure(error))
            } else {
                emit(.advertisingEnded(advertising.id, reason: error))
            }
        }
    }

    // MARK: Sinks

    /// See `Host`.
    public func addSink(_ sink: any HostEventSink) {
        if !sinks.contains(where: { $0 === sink }) { sinks.append(sink) }
    }

    /// See `Host`.
    public func removeSink(_ sink: any HostEventSink) {
        sinks.removeAll { $0 === sink }
        for (number, service) in services where service.sink === sink { withdraw(number) }
    }

    func emit(_ event: HostEvent) {
        for sink in sinks { sink.receive(event) }
    }

    // MARK: Operations

    /// See `Host`.
    public func cancel(_ operation: OperationID) {
        if let found = operations[operation] { end(found, HostError(.cancelled)) }
    }

    func number() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Runs behind the present call: a completion never comes inside it.
    func later(_ job: @escaping @Sendable () -> Void) { loop.execute(job) }

    func begin<Value: Sendable>(
        _ text: String, _ link: LinkID?, _ timeout: Duration, _ completion: @escaping HostCompletion<Value>
    ) -> Operation<Value> {
        let operation = Operation(OperationID(rawValue: number()), link, text, completion)
        operations[operation.id] = operation
        operation.timer = loop.schedule(at: loop.now + timeout) { [weak self] in
            self?.assumeIsolated { host in
                if let found = host.operations[operation.id] { host.end(found, HostError(.timedOut)) }
            }
        }
        return operation
    }

    /// Ends an operation with its result. Does nothing when it has ended.
    func finish<Value>(_ operation: Operation<Value>, _ result: Result<Value, HostError>) {
        guard operations.removeValue(forKey: operation.id) != nil else { return }
        if let timer = operation.timer { loop.cancel(timer) }
        operation.completion(result.mapError { $0.during(operation.text) })
    }

    func end(_ operation: AnyOperation, _ error: HostError) {
        guard operations.removeValue(forKey: operation.id) != nil else { return }
        if let timer = operation.timer { loop.cancel(timer) }
        if starting?.id == operation.id { starting = nil }
        operation.fail(error.during(operation.text))
        gaveUp(operation.id)
    }

    /// An error about arguments or state, inside the call.
    func refuse<Value>(_ error: HostError, _ text: String, _ completion: HostCompletion<Value>) -> OperationID {
        completion(.failure(error.during(text)))
        return OperationID(rawValue: number())
    }
}

/// An operation from its call to its single end. Lives on the host's loop.
///
/// `@unchecked Sendable` since the host alone, on its loop, looks into it.
class AnyOperation: @unchecked Sendable {
    let id: OperationID
    let link: LinkID?
    let text: String
    var timer: LoopTimer?

    init(_ id: OperationID, _ link: LinkID?, _ text: String) {
        self.id = id
        self.link = link
        self.text = text
    }

    func fail(_ error: HostError) {}
}

/// An operation with its completion.
final class Operation<Value: Sendable>: AnyOperation, @unchecked Sendable {
    let completion: HostCompletion<Value>

    init(_ id: OperationID, _ link: LinkID?, _ text: String, _ completion: @escaping HostCompletion<Value>) {
        self.completion = completion
        super.init(id, link, text)
    }

    override func fail(_ error: HostError) { completion(.failure(error)) }
}

private func makeAppleHost() async throws(HostError) -> any CeruleanHost.Host { AppleHost() }

extension Adapter {
    /// Apple's Bluetooth.
    public static var apple: Adapter {
        Adapter(name: "apple", factory: makeAppleHost)
    }
}
#endif
