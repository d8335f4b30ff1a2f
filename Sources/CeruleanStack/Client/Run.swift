// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// One operation on the peer's database, from the call to its single end.
final class Run<Value: Sendable> {
    let operation: OperationID
    private let engine: StackEngine
    private let link: Link
    private let text: () -> String
    private let completion: HostCompletion<Value>
    /// The procedure of the bearer that runs.
    private var step: ATTOperationID?

    init(
        _ engine: StackEngine, _ link: Link, deadline: MonotonicTime, text: @escaping () -> String,
        completion: @escaping HostCompletion<Value>
    ) {
        self.engine = engine
        self.link = link
        self.text = text
        self.completion = completion
        operation = engine.reserveOperation()
        engine.operations[operation.rawValue] = StackEngine.Operation(deadline: deadline, link: link.id) {
            [self] error in
            if let step { link.bearer.cancel(step) }
            self.completion(.failure(error.during(self.text())))
        }
        engine.arm(deadline)
    }

    /// Starts a procedure of the bearer, unless the operation has ended.
    func start(_ procedure: (ATTBearer) -> ATTOperationID) {
        guard engine.operations[operation.rawValue] != nil else { return }
        step = procedure(link.bearer)
        engine.arm(link.bearer.nextDeadline)
    }

    /// Ends the operation with the result of its last procedure.
    func end(_ result: Result<Value, HostError>) {
        step = nil
        guard engine.finish(operation) else { return }
        completion(result.mapError { $0.during(text()) })
    }
}

extension StackEngine {
    func run<Value>(
        _ text: @autoclosure @escaping () -> String, _ link: Link, _ timeout: Duration,
        _ completion: @escaping HostCompletion<Value>
    ) -> Run<Value> {
        Run(self, link, deadline: deadline(timeout), text: text, completion: completion)
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
