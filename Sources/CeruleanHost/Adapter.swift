// SPDX-License-Identifier: Apache-2.0

/// A way to get a ``Host``: a name and a factory. Each engine adds its own static members.
public struct Adapter: Sendable {
    /// What a person would call it, as an adapter string.
    public let name: String
    private let factory: @Sendable () async throws(HostError) -> any Host

    /// An adapter whose host is made by `factory`. The host need not be started.
    public init(name: String, factory: @escaping @Sendable () async throws(HostError) -> any Host) {
        self.name = name
        self.factory = factory
    }

    /// Makes the host.
    ///
    /// - Throws: ``HostError`` with `noAdapter`, `unauthorized`, `adapterBusy` or `adapterFailed`.
    public func makeHost() async throws(HostError) -> any Host { try await factory() }
}
