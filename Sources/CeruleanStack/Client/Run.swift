// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What an operation on the peer's database is called in errors; put together only when there is one.
struct OperationText {
    var verb: StaticString
    var attribute: AttributeID?

    /// As in `read of handle 0x0003 on C4:7C:8D:00:11:22`.
    func text(on link: Link) -> String {
        verb.description + (attribute.map { " " + StackEngine.name($0) } ?? "") + " on \(link.address)"
    }
}

/// One operation on the peer's database, from the call to its single end.
final class Run<Value: Sendable>: PendingOperation {
    private unowned(unsafe) let engine: StackEngine
    private let on: Link
    private let text: OperationText
    private let completion: HostCompletion<Value>
    /// The procedure of the bearer that runs.
    private var step: ATTOperationID?
    private var bearer: ATTBearer
    /// Any bearer of the link will do.
    var takesAnyBearer = false
    /// The procedure that runs or ran last, for repeating it. It gets the moment at which it starts.
    private var procedure: ((ATTBearer, MonotonicTime) -> ATTOperationID)?
    /// The link's security was raised once for this operation.
    private var hasRaised = false

    init(
        _ engine: StackEngine, _ link: Link, deadline: MonotonicTime, text: OperationText,
        completion: @escaping HostCompletion<Value>
    ) {
        self.engine = engine
        on = link
        bearer = link.bearer
        self.text = text
        self.completion = completion
        super.init(deadline: deadline, link: link.id)
    }

    /// Starts a procedure of the bearer, unless the operation has ended. That may be long after the call: behind a pairing.
    func start(_ procedure: @escaping (ATTBearer, MonotonicTime) -> ATTOperationID) {
        guard engine.operations.contains(id) else { return }
        self.procedure = procedure
        guard !engine.holds(on, { [self] in start(procedure) }) else { return }
        if takesAnyBearer { bearer = engine.bearerForReading(of: on) }
        step = procedure(bearer, engine.now)
        engine.arm(bearer.nextDeadline)
    }

    /// Ends the operation with the result of its last procedure.
    func end(_ result: Result<Value, HostError>) {
        step = nil
        if case .failure(let error) = result, !hasRaised, let procedure,
            let level = engine.levelWanted(after: error, on: on)
        {
            hasRaised = true
            return engine.raise(PairingOptions(level: level, allowsJustWorks: false), on: on) { [self] raised in
                switch raised {
                case .success: start(procedure)
                case .failure(let reason): finish(.failure(error.because(reason)))
                }
            }
        }
        finish(result)
    }

    private func finish(_ result: Result<Value, HostError>) {
        if case .failure(let error) = result, error.attribute == ATT.ErrorCode.databaseOutOfSync.rawValue {
            // Told once: what is known is stale, and the next request shows that we know. Core 5.4, Vol 3, Part G, 2.5.2.1.
            engine.databaseChanged(0x0001...0xFFFF, on: on)
        }
        procedure = nil
        guard engine.finish(id) else { return }
        switch result {
        case .success: completion(result)
        case .failure(let error): completion(.failure(error.during(text.text(on: on))))
        }
    }

    override func fail(_ error: HostError) {
        procedure = nil
        if let step { bearer.cancel(step) }
        completion(.failure(error.during(text.text(on: on))))
    }
}

extension HostError {
    /// A database that changes faster than it can be discovered.
    static let databaseKeepsChanging = HostError(
        .staleAttribute, detail: "the peer changed its database again and again while it was being discovered")

    /// The same error, with what came of the try to raise the link's security.
    fileprivate func because(_ reason: HostError) -> HostError {
        var error = self
        error.detail = [detail, reason.detail].compactMap { $0 }.joined(separator: "; ")
        return error
    }
}

extension StackEngine {
    /// Keeps `start` until the link to a bonded peer is encrypted; false if there is nothing to wait for (security R1).
    func holds(_ link: Link, _ start: @escaping () -> Void) -> Bool {
        guard link.mustWait, link.phase == .open else { return false }
        link.held.append(start)
        // As central encryption is on its way; a central is asked for it.
        if link.role == .peripheral, link.raises.isEmpty { raise(PairingOptions(), on: link) { _ in } }
        return true
    }

    func run<Value>(
        _ verb: StaticString, _ attribute: AttributeID? = nil, _ link: Link, _ timeout: Duration,
        _ completion: @escaping HostCompletion<Value>
    ) -> Run<Value> {
        let run = Run(
            self, link, deadline: deadline(timeout), text: OperationText(verb: verb, attribute: attribute),
            completion: completion)
        operations.add(run)
        arm(run.deadline)
        return run
    }
}

extension Link {
    func found(_ services: [GATT.Service]) -> [ServiceInfo] {
        services.map { service in
            serviceEnds[service.start] = service.end
            return ServiceInfo(
                id: attribute(service.start), uuid: service.uuid, isPrimary: service.isPrimary, endHandle: service.end)
        }
    }

    func found(_ includes: [GATT.Include]) -> [ServiceInfo] {
        found(includes.map { GATT.Service(start: $0.start, end: $0.end, uuid: $0.uuid, isPrimary: false) })
    }

    func found(_ characteristics: [GATT.Characteristic]) -> [CharacteristicInfo] {
        characteristics.map { characteristic in
            characteristicEnds[characteristic.handle] = characteristic.end
            if characteristic.uuid == GATT.serviceChanged { serviceChangedHandle = characteristic.handle }
            return CharacteristicInfo(
                id: attribute(characteristic.handle), uuid: characteristic.uuid, properties: characteristic.properties,
                endHandle: characteristic.end)
        }
    }

    func found(_ descriptors: [GATT.Descriptor], of characteristic: UInt16) -> [DescriptorInfo] {
        descriptors.map { descriptor in
            if descriptor.uuid == GATT.clientConfiguration, configurations[characteristic] == nil {
                configurations[characteristic] = descriptor.handle
            }
            return DescriptorInfo(id: attribute(descriptor.handle), uuid: descriptor.uuid)
        }
    }

    /// Forgets what was found between two handles.
    func forget(_ range: ClosedRange<UInt16>) {
        serviceEnds = serviceEnds.filter { !range.contains($0.key) }
        characteristicEnds = characteristicEnds.filter { !range.contains($0.key) }
        configurations = configurations.filter { !range.contains($0.key) }
    }
}
