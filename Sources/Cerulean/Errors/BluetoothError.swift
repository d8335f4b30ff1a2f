// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost

/// Why something failed.
///
/// Act on ``code``; show ``description`` to people; look into ``cause`` for what the lower layers said.
/// ```swift
/// do {
///     let level = try await peripheral.read(Battery.level)
/// } catch where error.code == .insufficientSecurity {
///     print(error)  // read of 2A19 on C4:7C:8D:00:11:22: insufficient authentication (ATT 0x05); pair first
/// }
/// ```
public struct BluetoothError: Error, Hashable, Sendable {
    /// What went wrong, in terms a program can act on. New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as in `timedOut`.
        public let description: String

        /// The code of the same name.
        public init(_ code: HostError.Code) { description = code.description }

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
        /// The link is gone, or was never there.
        public static let disconnected = Self(.disconnected)
        /// A link could not be established.
        public static let connectionFailed = Self(.connectionFailed)
        /// The peer said no; the cause says why.
        public static let refused = Self(.refused)
        /// The peer wants the link paired or encrypted first.
        public static let insufficientSecurity = Self(.insufficientSecurity)
        /// The peer answered against the protocol.
        public static let invalidResponse = Self(.invalidResponse)
        /// A bounded queue is full.
        public static let queueFull = Self(.queueFull)
        /// The attribute belongs to an earlier link or database: discover again.
        public static let staleAttribute = Self(.staleAttribute)
        /// Bytes that do not hold what they should.
        public static let badData = Self(.badData)
        /// Not now: the operation does not fit the present state.
        public static let wrongState = Self(.wrongState)
    }

    /// What went wrong.
    public var code: Code
    /// What was being done, as in `read of 2A19 on C4:7C:8D:00:11:22`.
    public var operation: String
    /// The error of the host, if it was the host that failed.
    public var cause: HostError?
    /// What else is known and what to try, for people.
    public var detail: String?

    /// Creates an error.
    public init(_ code: Code, _ operation: String, cause: HostError? = nil, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.cause = cause
        self.detail = detail ?? cause?.detail
    }

    /// The host's error, said of `operation`.
    public init(_ cause: HostError, during operation: String) {
        self.init(Code(cause.code), operation.isEmpty ? cause.operation : operation, cause: cause)
    }

    /// The ATT error code that the peer sent, if it did. Core 5.4, Vol 3, Part F, 3.4.1.1.
    public var attribute: UInt8? { cause?.attribute }

    /// The HCI error code of the controller, if it gave one. Core 5.4, Vol 1, Part F.
    public var controller: UInt8? { cause?.controller }
}

extension BluetoothError: CustomStringConvertible {
    /// What failed, on what, why, and what to try: `read of 2A19 on C4:…: insufficient authentication (ATT 0x05); pair first`.
    public var description: String {
        var text = operation.isEmpty ? "" : operation + ": "
        text += reason
        if let detail, !detail.isEmpty, !repeats(detail) {
            text += "; " + detail
        } else if let advice {
            text += "; " + advice
        }
        return text
    }

    private var reason: String {
        if let attribute { return "\(ErrorText.attribute(attribute)) (ATT 0x\(Self.hex(attribute)))" }
        if let controller {
            return "\(ErrorText.code(code)): \(ErrorText.controller(controller)) (HCI 0x\(Self.hex(controller)))"
        }
        if let system = cause?.system { return "\(ErrorText.code(code)) (errno \(system))" }
        return ErrorText.code(code)
    }

    /// True when a detail says no more than the reason: the same words, with or without the number.
    private func repeats(_ detail: String) -> Bool {
        let said = [attribute.map(ErrorText.attribute), controller.map(ErrorText.controller), ErrorText.code(code)]
        return said.compactMap { $0 }.contains { words in
            guard detail.lowercased().hasPrefix(words.lowercased()) else { return false }
            let rest = detail.dropFirst(words.count).filter { $0 != " " && $0 != "(" && $0 != ")" }
            return rest.isEmpty || rest.lowercased().hasPrefix("0x")
        }
    }

    private var advice: String? {
        switch code {
        case .insufficientSecurity: "pair first"
        case .poweredOff: "switch the adapter on"
        case .staleAttribute: "discover again"
        default: nil
        }
    }

    private static func hex(_ value: UInt8) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16, uppercase: true)
    }
}
