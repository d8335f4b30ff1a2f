// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Glibc

/// An address of the system's socket calls, as its octets.
struct SocketAddress: Sendable {
    private let octets: [UInt8]
    private let family: Int32

    private init<Address>(_ address: Address, _ family: Int32) {
        octets = withUnsafeBytes(of: address) { unsafe Array($0) }
        self.family = family
    }

    init(_ pointer: UnsafePointer<sockaddr>, _ length: socklen_t) {
        octets = unsafe Array(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
        family = unsafe Int32(pointer.pointee.sa_family)
    }

    /// A numeric IPv4 or IPv6 address; nil for names.
    init?(_ host: String, _ port: UInt16) {
        var v4 = sockaddr_in()
        if unsafe inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            self.init(v4, AF_INET)
            return
        }
        var v6 = sockaddr_in6()
        guard unsafe inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 else { return nil }
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        self.init(v6, AF_INET6)
    }

    /// The path of a Unix socket; nil when it is too long.
    init?(unix path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        guard !octets.isEmpty, octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: octets) }
        self.init(address, AF_UNIX)
    }

    /// Port and address of the socket's own end; nil when it has none.
    init?(of descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        octets = withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(length))) }
        family = Int32(storage.ss_family)
    }

    /// The port of an Internet address.
    var port: UInt16? {
        guard family == AF_INET || family == AF_INET6, octets.count >= 4 else { return nil }
        return UInt16(octets[2]) << 8 | UInt16(octets[3])
    }

    /// A non-blocking socket of this family that is not inherited; negative with `errno` when there is none.
    func makeSocket() -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        if descriptor >= 0, family != AF_UNIX { Self.setNoDelay(descriptor) }
        return descriptor
    }

    /// Small packets go at once.
    static func setNoDelay(_ descriptor: Int32) {
        var one: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    func connect(_ descriptor: Int32) -> Int32 {
        withPointer { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    func bind(_ descriptor: Int32) -> Int32 {
        withPointer { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: octets.prefix($0.count)) }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(octets.count))
            }
        }
    }
}

/// Looks names up on a thread of its own.
enum Resolver {
    private final class Request: Sendable {
        let host: String
        let port: UInt16
        let completion: @Sendable (Result<[SocketAddress], HostError>) -> Void

        init(
            _ host: String, _ port: UInt16,
            _ completion: @escaping @Sendable (Result<[SocketAddress], HostError>) -> Void
        ) {
            self.host = host
            self.port = port
            self.completion = completion
        }
    }

    static func needsLookUp(_ host: String) -> Bool { SocketAddress(host, 1) == nil }

    /// Calls `completion` from another thread, once.
    static func resolve(
        _ host: String, _ port: UInt16, _ completion: @escaping @Sendable (Result<[SocketAddress], HostError>) -> Void
    ) {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(Request(host, port, completion)).toOpaque()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let request = unsafe Unmanaged<Request>.fromOpaque(context).takeRetainedValue()
                request.completion(Resolver.lookUp(request.host, request.port))
                return nil
            }, context)
        guard result == 0 else {
            unsafe Unmanaged<Request>.fromOpaque(context).release()
            return completion(.failure(SystemError.opening("\(host):\(port)", result)))
        }
        pthread_detach(thread)
    }

    private static func lookUp(_ host: String, _ port: UInt16) -> Result<[SocketAddress], HostError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            let text = unsafe gai_strerror(result).map { unsafe String(cString: $0) } ?? "error \(result)"
            return .failure(HostError(.noAdapter, "opening tcp:\(host):\(port)", detail: "\(host): \(text)"))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = unsafe list
        while let info = unsafe entry {
            if let address = unsafe info.pointee.ai_addr {
                unsafe addresses.append(SocketAddress(address, info.pointee.ai_addrlen))
            }
            unsafe entry = info.pointee.ai_next
        }
        return .success(addresses)
    }
}
