// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanWire

// Signed writes, and several values at once.
extension StackEngine {
    /// Core 5.4, Vol 3, Part C, 10.4.1: a signature has its place on links without encryption, with a bond.
    func writeSigned(_ value: [UInt8], to handle: UInt16, on link: Link, _ run: Run<Void>) {
        if link.bearer.peer.security > .open {
            return link.bearer.writeCommand(value, to: handle, now: now) { run.end($0) }
        }
        link.bearer.signedWrite(
            value, to: handle, now: now, sign: { [unowned self] in sign($0, for: link) }, completion: { run.end($0) })
    }

    /// Reads several values; see `Host/readMultiple(_:lengths:on:timeout:completion:)`.
    public func readMultiple(
        _ attributes: [AttributeID], lengths: [Int], on id: LinkID, timeout: Duration, now: MonotonicTime,
        completion: @escaping HostCompletion<[[UInt8]]>
    ) -> OperationID {
        self.now = now
        guard let link = open(id, "read of several values", completion) else { return reserveOperation() }
        let run = run("read of several values", nil, link, timeout, completion)
        guard lengths.isEmpty || lengths.count == attributes.count, lengths.allSatisfy({ (0...512).contains($0) })
        else {
            run.end(.failure(HostError(.invalidArgument, detail: "there is one length, 0 to 512, for each value")))
            return run.id
        }
        var handles: [UInt16] = []
        for attribute in attributes {
            guard link.isCurrent(attribute), let handle = attribute.handle else {
                run.end(.failure(Self.stale(attribute)))
                return run.id
            }
            handles.append(handle)
        }
        readNext(MultipleReading(handles: handles, lengths: lengths), link, run)
        return run.id
    }

    /// Reads as many of the rest as one request brings, then goes on.
    private func readNext(_ reading: MultipleReading, _ link: Link, _ run: Run<[[UInt8]]>) {
        var reading = reading
        let next = reading.next(mtu: link.bearer.mtu, isVariable: link.readsMultiple != false)
        switch next {
        case .nothing: run.end(.success(reading.values))
        case .one(let handle):
            run.start { [self] bearer, now in
                bearer.read(handle, now: now) { [self] result in
                    goOn(result.map { [$0] }, reading, link, run)
                }
            }
        case .known(let handles, let lengths):
            run.start { [self] bearer, now in
                bearer.readMultiple(handles, now: now) { [self] result in
                    if case .failure(let error) = result, error.isUnknownRequest {
                        reading.knowsLengths = false
                        return readNext(reading, link, run)
                    }
                    goOn(result.map { MultipleReading.split($0, lengths) }, reading, link, run)
                }
            }
        case .variable(let handles):
            run.start { [self] bearer, now in
                bearer.readMultipleVariable(handles, now: now) { [self] result in
                    if case .failure(let error) = result, error.isUnknownRequest {
                        link.readsMultiple = false
                        return readNext(reading, link, run)
                    }
                    if case .success = result { link.readsMultiple = true }
                    goOn(result, reading, link, run)
                }
            }
        }
    }

    private func goOn(
        _ result: Result<[[UInt8]], HostError>, _ reading: MultipleReading, _ link: Link, _ run: Run<[[UInt8]]>
    ) {
        switch result {
        case .failure(let error): run.end(.failure(error))
        case .success(let values):
            var reading = reading
            reading.took(values)
            readNext(reading, link, run)
        }
    }

    /// Sends several values; see `Host/updateTogether(_:for:)`.
    public func updateTogether(_ values: [AttributeUpdate], for audience: UpdateAudience, now: MonotonicTime) -> Int {
        self.now = now
        return server.updateTogether(values, for: audience, now: now)
    }
}

extension HostError {
    /// The peer does not know the request.
    fileprivate var isUnknownRequest: Bool { attribute == ATT.ErrorCode.requestNotSupported.rawValue }
}

/// Several values being read: what is asked for next. Pure.
struct MultipleReading {
    enum Next: Hashable {
        case nothing
        case one(UInt16)
        /// Values of known lengths, joined.
        case known([UInt16], [Int])
        /// Values with their lengths.
        case variable([UInt16])
    }

    let handles: [UInt16]
    let lengths: [Int]
    /// The peer knows Read Multiple as far as we know.
    var knowsLengths: Bool
    private(set) var values: [[UInt8]] = []
    /// Nothing whole came of the last request: its first value is too long for company.
    private var mustReadAlone = false

    init(handles: [UInt16], lengths: [Int]) {
        self.handles = handles
        self.lengths = lengths
        knowsLengths = !lengths.isEmpty
    }

    func next(mtu: Int, isVariable: Bool) -> Next {
        let rest = handles[values.count...]
        guard let first = rest.first else { return .nothing }
        guard rest.count > 1, !mustReadAlone else { return .one(first) }
        let most = (mtu - 1) / 2
        if isVariable { return .variable(Array(rest.prefix(most))) }
        guard knowsLengths else { return .one(first) }
        var sum = 0
        let fitting = lengths[values.count...].prefix(most).prefix { length in
            sum += length
            return sum <= mtu - 1
        }
        return fitting.count > 1 ? .known(Array(rest.prefix(fitting.count)), Array(fitting)) : .one(first)
    }

    mutating func took(_ new: [[UInt8]]) {
        mustReadAlone = new.isEmpty
        values += new.prefix(handles.count - values.count)
    }

    /// Cuts joined values; those that are not whole are left out.
    static func split(_ joined: [UInt8], _ lengths: [Int]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var start = 0
        for length in lengths {
            guard start + length <= joined.count else { break }
            values.append(Array(joined[start..<start + length]))
            start += length
        }
        return values
    }
}
