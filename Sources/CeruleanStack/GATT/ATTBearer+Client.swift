// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

/// Values found by type, and what ended the search.
public struct ReadByTypeResult: Hashable, Sendable {
    /// The values in handle order; never empty.
    public var values: [GATT.FoundValue]
    /// The error that ended the search; nil when the range was used up.
    public var endedBy: ATT.ErrorCode?

    /// Collects the parts.
    public init(values: [GATT.FoundValue], endedBy: ATT.ErrorCode?) {
        self.values = values
        self.endedBy = endedBy
    }
}

/// The GATT client. Core 5.4, Vol 3, Part G, 4.
///
/// Operations run one after the other in the order of the calls. Each ends exactly once, by its completion: with a result;
/// `refused` or `insufficientSecurity` and the ATT error code; `invalidResponse` when the peer breaks the protocol (the bearer
/// stays usable); `timedOut` after 30 s without an answer (the bearer is lost); `cancelled`; `queueFull`; `invalidArgument`;
/// or the reason given to ``ATTBearer/close(_:)``. Attributes are named by handle, so that equal UUIDs do not matter.
extension ATTBearer {
    /// Finds all primary services, in handle order.
    @discardableResult
    public func discoverPrimaryServices(
        start: UInt16 = 1, end: UInt16 = 0xFFFF, now: MonotonicTime,
        completion: @escaping (Result<[GATT.Service], HostError>) -> Void
    ) -> ATTOperationID {
        self.start(DiscoverServices(start: start, end: end), now: now, completion: completion)
    }

    /// Finds the primary services of one type, in handle order.
    ///
    /// - Parameters:
    ///   - uuid: Its type.
    ///   - sendsFullUUID: sends an assigned UUID in 16 octets too. Servers must take either form.
    ///   - start: The first handle of the range.
    ///   - end: The last handle of the range.
    ///   - now: The present moment.
    ///   - completion: Called once, with the outcome.
    @discardableResult
    public func discoverPrimaryServices(
        of uuid: BluetoothUUID, sendsFullUUID: Bool = false, start: UInt16 = 1, end: UInt16 = 0xFFFF,
        now: MonotonicTime, completion: @escaping (Result<[GATT.Service], HostError>) -> Void
    ) -> ATTOperationID {
        self.start(
            DiscoverServicesByType(uuid, sendsFullUUID: sendsFullUUID, start: start, end: end), now: now,
            completion: completion)
    }

    /// Finds the includes between two handles; UUIDs of 128 bits are read from the included services.
    @discardableResult
    public func findIncludedServices(
        start: UInt16, end: UInt16, now: MonotonicTime,
        completion: @escaping (Result<[GATT.Include], HostError>) -> Void
    ) -> ATTOperationID {
        self.start(FindIncludedServices(start: start, end: end), now: now, completion: completion)
    }

    /// Finds the characteristics between two handles, all or those of one type, in handle order.
    @discardableResult
    public func discoverCharacteristics(
        of uuid: BluetoothUUID? = nil, start: UInt16, end: UInt16, now: MonotonicTime,
        completion: @escaping (Result<[GATT.Characteristic], HostError>) -> Void
    ) -> ATTOperationID {
        self.start(DiscoverCharacteristics(uuid: uuid, start: start, end: end), now: now, completion: completion)
    }

    /// Finds the descriptors between two handles: those behind a characteristic's value up to its end.
    @discardableResult
    public func discoverDescriptors(
        start: UInt16, end: UInt16, now: MonotonicTime,
        completion: @escaping (Result<[GATT.Descriptor], HostError>) -> Void
    ) -> ATTOperationID {
        self.start(DiscoverDescriptors(start: start, end: end), now: now, completion: completion)
    }

    /// Finds the whole database in as few requests as possible.
    @discardableResult
    public func discoverDatabase(
        now: MonotonicTime, completion: @escaping (Result<GATT.Database, HostError>) -> Void
    ) -> ATTOperationID {
        start(DiscoverDatabase(), now: now, completion: completion)
    }

    /// Reads the first MTU - 1 octets of a value.
    @discardableResult
    public func readFirstPart(
        of handle: UInt16, now: MonotonicTime, completion: @escaping (Result<[UInt8], HostError>) -> Void
    ) -> ATTOperationID {
        start(ReadValue(handle: handle), now: now, completion: completion)
    }

    /// Reads a whole value, however long (at most 512 octets), or what follows `offset`.
    ///
    /// A value of several parts need not be one snapshot: the protocol reads them one after the other.
    @discardableResult
    public func read(
        _ handle: UInt16, offset: UInt16 = 0, now: MonotonicTime,
        completion: @escaping (Result<[UInt8], HostError>) -> Void
    ) -> ATTOperationID {
        let id = nextOperation()
        start(ReadOperation(id: id, ReadLongValue(handle: handle, offset: offset), completion: completion), now: now)
        return id
    }

    /// Reads all values of a type between two handles. Finding none is `refused` with 0x0A.
    ///
    /// - Parameters:
    ///   - uuid: Its type.
    ///   - start: The first handle of the range.
    ///   - end: The last handle of the range.
    ///   - onlyFirst: ends with what the first answer holds.
    ///   - now: The present moment.
    ///   - completion: Called once, with the outcome.
    @discardableResult
    public func readByType(
        _ uuid: BluetoothUUID, start: UInt16 = 1, end: UInt16 = 0xFFFF, onlyFirst: Bool = false, now: MonotonicTime,
        completion: @escaping (Result<ReadByTypeResult, HostError>) -> Void
    ) -> ATTOperationID {
        self.start(
            ReadByType(uuid, start: start, end: end, onlyFirst: onlyFirst), now: now, completion: completion)
    }

    /// Reads several values in one request; they come joined, so their lengths must be known. Two or more handles.
    @discardableResult
    public func readMultiple(
        _ handles: [UInt16], now: MonotonicTime, completion: @escaping (Result<[UInt8], HostError>) -> Void
    ) -> ATTOperationID {
        guard fits(handles, completion) else { return ATTOperationID(rawValue: 0) }
        return start(ReadMultiple(handles: handles), now: now, completion: completion)
    }

    /// Reads several values of any length in one request; those that did not fit whole are missing at the end.
    @discardableResult
    public func readMultipleVariable(
        _ handles: [UInt16], now: MonotonicTime, completion: @escaping (Result<[[UInt8]], HostError>) -> Void
    ) -> ATTOperationID {
        guard fits(handles, completion) else { return ATTOperationID(rawValue: 0) }
        return start(ReadMultipleVariable(handles: handles), now: now, completion: completion)
    }

    /// Writes a value of at most 512 octets: in one request when it fits, else as prepared writes.
    @discardableResult
    public func write(
        _ value: [UInt8], to handle: UInt16, now: MonotonicTime,
        completion: @escaping (Result<Void, HostError>) -> Void
    ) -> ATTOperationID {
        guard value.count > mtu - 3 else {
            return start(WriteValue(handle: handle, value: value), now: now, completion: completion)
        }
        return writeLong(value, to: handle, now: now, completion: completion)
    }

    /// Writes part of a value by prepared writes; at most 512 octets, `offset` included.
    @discardableResult
    public func writeLong(
        _ value: [UInt8], to handle: UInt16, offset: UInt16 = 0, now: MonotonicTime,
        completion: @escaping (Result<Void, HostError>) -> Void
    ) -> ATTOperationID {
        prepare(
            [PreparedWrite.Write(handle: handle, offset: Int(offset), value: value)], now: now, completion: completion)
    }

    /// Writes several values so that all or none take effect. Values of at most 512 octets.
    @discardableResult
    public func writeReliably(
        _ values: [(handle: UInt16, value: [UInt8])], now: MonotonicTime,
        completion: @escaping (Result<Void, HostError>) -> Void
    ) -> ATTOperationID {
        prepare(
            values.map { PreparedWrite.Write(handle: $0.handle, offset: 0, value: $0.value) }, now: now,
            completion: completion)
    }

    /// Writes the Client Characteristic Configuration of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: the value's handle; the descriptor is looked for behind it when `descriptor` is nil.
    ///   - end: the characteristic's last handle.
    ///   - descriptor: the descriptor's handle, where it is known.
    ///   - mode: Notifications or indications.
    ///   - now: The present moment.
    ///   - completion: gets the descriptor's handle; `notFound` when the characteristic has none.
    @discardableResult
    public func subscribe(
        to characteristic: UInt16, end: UInt16, descriptor: UInt16? = nil, mode: SubscriptionMode, now: MonotonicTime,
        completion: @escaping (Result<UInt16, HostError>) -> Void
    ) -> ATTOperationID {
        start(
            Subscribe(characteristic: characteristic, end: end, descriptor: descriptor, mode: mode), now: now,
            completion: completion)
    }

    // MARK: - private

    private func prepare(
        _ writes: [PreparedWrite.Write], now: MonotonicTime, completion: @escaping (Result<Void, HostError>) -> Void
    ) -> ATTOperationID {
        guard !writes.isEmpty else {
            completion(.success(()))
            return ATTOperationID(rawValue: 0)
        }
        for write in writes where write.offset + write.value.count > ATT.maximumValueLength {
            completion(.failure(.tooLong(write.offset + write.value.count, ATT.maximumValueLength)))
            return ATTOperationID(rawValue: 0)
        }
        return start(PreparedWrite(writes), now: now, completion: completion)
    }

    private func fits<T>(_ handles: [UInt16], _ completion: (Result<T, HostError>) -> Void) -> Bool {
        let most = (mtu - 1) / 2
        guard (2...most).contains(handles.count) else {
            completion(.failure(HostError(.invalidArgument, detail: "\(handles.count) handles, 2 to \(most) fit")))
            return false
        }
        return true
    }
}

/// Configures notifications or indications. Core 5.4, Vol 3, Part G, 4.10 and 4.11.
struct Subscribe: ClientProcedure {
    private var search: DiscoverDescriptors
    private var descriptor: UInt16?
    private let hasRoom: Bool
    private let value: UInt8

    init(characteristic: UInt16, end: UInt16, descriptor: UInt16?, mode: SubscriptionMode) {
        hasRoom = characteristic < end
        search = DiscoverDescriptors(
            start: hasRoom ? characteristic + 1 : end, end: end, stoppingAt: GATT.clientConfiguration)
        self.descriptor = descriptor
        value =
            switch mode {
            case .off: 0
            case .notifications: 1
            case .indications: 2
            }
    }

    mutating func request(into pdu: inout [UInt8], mtu: Int) {
        guard let descriptor else { return search.request(into: &pdu, mtu: mtu) }
        pdu.append(ATT.Opcode.writeRequest.rawValue)
        pdu.append(littleEndian: descriptor)
        pdu.append(contentsOf: [value, 0])
    }

    mutating func received(_ response: RawSpan, mtu: Int) -> ProcedureStep<UInt16> {
        if let descriptor {
            return response.byteCount == 1
                ? .finished(descriptor) : .failed(.invalidResponse("surplus octets behind a Write Response"))
        }
        return found(search.received(response, mtu: mtu))
    }

    mutating func refused(_ error: ATT.ErrorResponse) -> ProcedureStep<UInt16> {
        descriptor == nil ? found(search.refused(error)) : .failed(.refused(error))
    }

    private mutating func found(_ step: ProcedureStep<[GATT.Descriptor]>) -> ProcedureStep<UInt16> {
        switch step {
        case .request: return .request
        case .failed(let error): return .failed(error)
        case .finished(let descriptors):
            guard hasRoom, let match = descriptors.last, match.uuid == GATT.clientConfiguration else {
                return .failed(
                    HostError(.notFound, detail: "the characteristic has no Client Characteristic Configuration"))
            }
            descriptor = match.handle
            return .request
        }
    }
}
