// SPDX-License-Identifier: Apache-2.0

/// Why an operation of a host failed.
public struct HostError: Error, Hashable, Sendable {
    /// What went wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Storage: String, Sendable {
            case noAdapter, poweredOff, unauthorized, adapterBusy, adapterFailed, unsupported, invalidArgument, notFound
            case timedOut, cancelled, disconnected, connectionFailed, refused, insufficientSecurity, invalidResponse
            case queueFull, staleAttribute, badData, wrongState
        }
        private let storage: Storage
        private init(_ storage: Storage) { self.storage = storage }

        /// There is no such adapter, or it cannot be opened.
        public static let noAdapter = Self(.noAdapter)
        /// The adapter is switched off.
        public static let poweredOff = Self(.poweredOff)
        /// The process lacks the right to use the adapter.
        public static let unauthorized = Self(.unauthorized)
        /// Somebody else holds the adapter.
        public static let adapterBusy = Self(.adapterBusy)
        /// The controller does not answer, answers nonsense or went away.
        public static let adapterFailed = Self(.adapterFailed)
        /// This engine, controller or peer cannot do it.
        public static let unsupported = Self(.unsupported)
        /// The caller passed something out of range.
        public static let invalidArgument = Self(.invalidArgument)
        /// No such device, service or attribute.
        public static let notFound = Self(.notFound)
        /// The time given for the operation is over.
        public static let timedOut = Self(.timedOut)
        /// The caller cancelled the operation.
        public static let cancelled = Self(.cancelled)
        /// The link is gone.
        public static let disconnected = Self(.disconnected)
        /// A link could not be established.
        public static let connectionFailed = Self(.connectionFailed)
        /// The peer said no; ``HostError/attribute`` or ``HostError/controller`` says why.
        public static let refused = Self(.refused)
        /// The peer wants the link paired or encrypted first.
        public static let insufficientSecurity = Self(.insufficientSecurity)
        /// The peer answered against the protocol.
        public static let invalidResponse = Self(.invalidResponse)
        /// A bounded queue is full; wait for the ready event.
        public static let queueFull = Self(.queueFull)
        /// The attribute belongs to an earlier link or database.
        public static let staleAttribute = Self(.staleAttribute)
        /// Bytes that do not hold what they should.
        public static let badData = Self(.badData)
        /// Not now: the operation does not fit the present state.
        public static let wrongState = Self(.wrongState)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// What went wrong.
    public var code: Code
    /// What was being done, as in `read of 2A19 on C4:7C:8D:00:11:22`.
    public var operation: String
    /// The ATT error code that the peer sent. Core 5.4, Vol 3, Part F, 3.4.1.1.
    public var attribute: UInt8?
    /// The HCI error code of the controller, as for a disconnection reason. Core 5.4, Vol 1, Part F.
    public var controller: UInt8?
    /// The operating system's error number.
    public var system: Int32?
    /// What else is known and what to try, for people.
    public var detail: String?

    /// Creates an error.
    public init(
        _ code: Code, _ operation: String = "", attribute: UInt8? = nil, controller: UInt8? = nil, system: Int32? = nil,
        detail: String? = nil
    ) {
        self.code = code
        self.operation = operation
        self.attribute = attribute
        self.controller = controller
        self.system = system
        self.detail = detail
    }

    /// The same error, said of `operation` if nothing has been said yet.
    public func during(_ operation: @autoclosure () -> String) -> Self {
        guard self.operation.isEmpty else { return self }
        var copy = self
        copy.operation = operation()
        return copy
    }
}
