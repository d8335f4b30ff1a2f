// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension ServerCore {
    /// A long write puts a value together; no attribute has more.
    private static var maximumValue: Int { 512 }

    func requested(_ batch: RequestBatch) {
        guard let central = central(batch.link) else {
            return respond(batch.token, .failure(code: RequestFailure.unlikelyError.code, index: 0))
        }
        guard central.requests.send(batch) else {
            return respond(batch.token, .failure(code: RequestFailure.insufficientResources.code, index: 0))
        }
        if central.pump == nil { startPump(central) }
    }

    private func respond(_ token: RequestToken?, _ response: RequestResponse) {
        guard let token else { return }
        host.assumeIsolated { $0.respond(to: token, with: response) }
    }

    /// One task at a time for a central whose requests need handlers. It serves until the link is gone or a handler
    /// took too long: then it is cancelled and another one takes its place.
    private func startPump(_ central: ConnectedCentral) {
        let (remote, requests) = (central.remote, central.requests)
        central.pump = Task(executorPreference: loop.backgroundExecutor) { [weak self] in
            // One at a time: after a timeout the next pump goes on with what is left.
            while !Task.isCancelled, !requests.isFinished {
                guard let batch = requests.takeFirst() else {
                    await requests.wait()
                    continue
                }
                guard let self else { return }
                await self.serve(batch, of: remote)
            }
        }
    }

    private func serve(_ batch: RequestBatch, of remote: RemoteCentral) async {
        guard let central = central(remote.link) else { return }
        let number = number()
        let timer = loop.schedule(at: loop.now + handlerTimeout) { [self] in
            assumeIsolated { $0.handlerTimedOut(number, remote) }
        }
        central.open = (number, batch.token, timer)
        let response = await answer(batch, of: remote)
        guard let central = self.central(remote.link), central.open?.number == number else { return }
        loop.cancel(timer)
        central.open = nil
        if case .success = response.response { store(response.stores, by: remote) }
        respond(batch.token, response.response)
    }

    /// The request is answered for the handler, its task is cancelled, and another one goes on with the next requests.
    private func handlerTimedOut(_ number: UInt64, _ remote: RemoteCentral) {
        guard let central = central(remote.link), let open = central.open, open.number == number else { return }
        central.open = nil
        respond(open.token, .failure(code: RequestFailure.unlikelyError.code, index: 0))
        central.pump?.cancel()
        startPump(central)
    }

    private struct Answer {
        var response: RequestResponse
        var stores: [(characteristic: LocalCharacteristic, value: [UInt8])] = []
    }

    private func store(_ stores: [(characteristic: LocalCharacteristic, value: [UInt8])], by remote: RemoteCentral) {
        for store in stores {
            store.characteristic.store(store.value)
            events.send(.written(store.characteristic, value: store.value, by: remote))
        }
    }

    private func answer(_ batch: RequestBatch, of remote: RemoteCentral) async -> Answer {
        var answer = Answer(response: .success(value: []))
        var index = 0
        while index < batch.requests.count {
            let request = batch.requests[index]
            guard let characteristic = attributes[request.attribute] else {
                return Answer(response: .failure(code: RequestFailure.unlikelyError.code, index: index))
            }
            do {
                try await interceptor?(characteristic.uuid)
                switch request.kind {
                case .read(let offset):
                    answer.response = .success(value: try await read(characteristic, offset, remote))
                    index += 1
                case .write:
                    let before = answer.stores.last { $0.characteristic === characteristic }?.value
                    let (value, end) = try assemble(batch, from: index, onto: before ?? characteristic.value)
                    try await characteristic.onWrite?(
                        WriteRequest(central: remote, value: value, needsResponse: batch.token != nil))
                    answer.stores.append((characteristic, value))
                    index = end
                }
            } catch {
                return Answer(response: .failure(code: Self.code(of: error), index: index))
            }
        }
        return answer
    }

    private func read(
        _ characteristic: LocalCharacteristic, _ offset: Int, _ remote: RemoteCentral
    ) async throws -> [UInt8] {
        let whole: [UInt8]
        if let onRead = characteristic.onRead {
            whole = try await onRead(ReadRequest(central: remote, offset: offset))
        } else {
            whole = characteristic.value
        }
        guard offset >= 0, offset <= whole.count else { throw RequestFailure.invalidOffset }
        return Array(whole[offset...].prefix(Self.maximumValue))
    }

    /// Puts the parts together that follow each other for one attribute. A whole value replaces what was there.
    private func assemble(
        _ batch: RequestBatch, from start: Int, onto before: [UInt8]
    ) throws(RequestFailure) -> (value: [UInt8], end: Int) {
        let attribute = batch.requests[start].attribute
        var value: [UInt8]?
        var index = start
        while index < batch.requests.count, batch.requests[index].attribute == attribute,
            case .write(let part, let offset) = batch.requests[index].kind
        {
            // The first part at 0 begins a new value; one further on changes what is there.
            let base = value ?? (offset == 0 ? [] : before)
            guard offset >= 0, offset <= base.count else { throw .invalidOffset }
            guard offset + part.count <= Self.maximumValue else { throw .invalidValueLength }
            value = Array(base[..<offset]) + part + base.dropFirst(offset + part.count)
            index += 1
        }
        return (value ?? [], index)
    }

    private static func code(of error: any Error) -> UInt8 {
        switch error {
        case let failure as RequestFailure: failure.code
        case let error as BluetoothError: error.attribute ?? RequestFailure.unlikelyError.code
        default: RequestFailure.unlikelyError.code
        }
    }
}
