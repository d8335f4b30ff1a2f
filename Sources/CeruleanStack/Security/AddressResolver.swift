// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Finds who is behind a resolvable private address. Core 5.4, Vol 6, Part B, 1.3.2.3.
///
/// The cost is bounded (row R4): answers are kept, also that nobody is behind an address, and only so many blocks are encrypted in
/// a second; beyond that an address counts as unknown for now.
public struct AddressResolver: Sendable {
    /// Who is behind an address.
    public enum Answer: Hashable, Sendable {
        /// The device with this identity.
        case identity(DeviceAddress)
        /// No bonded device; or more than one, and then none is taken (row S20).
        case nobody
        /// Not computed: too many addresses at once.
        case tooBusy
    }

    /// Answers that are kept; above it the one kept longest is dropped.
    public static let capacity = 4_096
    /// Blocks that are encrypted in one second at most.
    public static let blocksPerSecond = 100_000

    private var keys: [(identity: DeviceAddress, key: Value128)] = []
    private var cache: [BluetoothAddress: DeviceAddress?] = [:]
    private var order: [BluetoothAddress] = []
    private var head = 0
    private var second = MonotonicTime.zero
    private var blocks = 0

    /// A resolver without keys.
    public init() {}

    /// Takes the keys of all bonds; what was known is forgotten.
    public mutating func use(_ bonds: [Bond]) {
        keys = bonds.compactMap { bond in bond.resolvingKey.map { (bond.identity, $0) } }
        cache.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        head = 0
    }

    /// True if no address can be resolved.
    public var isEmpty: Bool { keys.isEmpty }

    /// Finds who is behind an address. Addresses that are not resolvable private ones are behind nobody.
    ///
    /// - Throws: ``CryptoError`` when AES is not there.
    public mutating func resolve(
        _ address: DeviceAddress, now: MonotonicTime, crypto: some CryptoProvider
    ) throws(CryptoError) -> Answer {
        guard !keys.isEmpty, address.randomKind == .resolvablePrivate else { return .nobody }
        if let known = cache[address.address] { return known.map { .identity($0) } ?? .nobody }
        if now - second >= .seconds(1) {
            second = now
            blocks = 0
        }
        guard blocks + keys.count <= max(Self.blocksPerSecond, keys.count) else { return .tooBusy }
        blocks += keys.count
        var found: DeviceAddress?
        var isAmbiguous = false
        for (identity, key) in keys where try crypto.resolves(address, key: key) {
            isAmbiguous = found != nil
            found = identity
            if isAmbiguous { break }
        }
        let answer = isAmbiguous ? nil : found
        keep(address.address, answer)
        return answer.map { .identity($0) } ?? .nobody
    }

    private mutating func keep(_ address: BluetoothAddress, _ answer: DeviceAddress?) {
        if order.count < Self.capacity {
            order.append(address)
        } else {
            cache[order[head]] = nil
            order[head] = address
            head = (head + 1) % Self.capacity
        }
        cache.updateValue(answer, forKey: address)
    }
}

/// Decides when our own private address is made anew. Core 5.4, Vol 3, Part C, 10.7.1.
///
/// Pure: the owner calls ``tick(now:crypto:)`` at ``deadline``, gives the new address to the controller and says ``took(now:)``
/// when the controller has it.
public struct AddressRotation: Sendable {
    /// Time between two addresses: 1 s to 1 h, by default 15 minutes.
    public let interval: Duration
    /// The address in use; nil before the first.
    public private(set) var current: DeviceAddress?
    /// The address that the controller is to take; nil when none is on the way.
    public private(set) var proposed: DeviceAddress?
    /// When the next address is due.
    public private(set) var deadline = MonotonicTime.zero
    private let key: Value128

    /// Addresses made with `key`, which must not be zero.
    public init(key: Value128, interval: Duration = .seconds(900)) {
        self.key = key
        self.interval = min(max(interval, .seconds(1)), .seconds(3_600))
    }

    /// The address to give to the controller, if it is time for one. One that was not taken yet is not proposed again.
    public mutating func tick(now: MonotonicTime, crypto: some CryptoProvider) throws(CryptoError) -> DeviceAddress? {
        guard now >= deadline, proposed == nil else { return nil }
        let address = try crypto.resolvableAddress(key)
        proposed = address
        return address
    }

    /// The controller has the proposed address: it holds for ``interval`` from now.
    public mutating func took(now: MonotonicTime) {
        guard let address = proposed else { return }
        current = address
        proposed = nil
        deadline = now + interval
    }

    /// The controller refused the proposed address (it advertises, say): another try after `delay`.
    public mutating func wasRefused(now: MonotonicTime, delay: Duration = .seconds(1)) {
        proposed = nil
        deadline = now + delay
    }

    /// A new address is due now, as after a bond was removed: the device that had it must not recognize us.
    public mutating func expire(now: MonotonicTime) {
        if proposed == nil { deadline = now }
    }
}
