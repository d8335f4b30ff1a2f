// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

/// What follows from the features of both sides. Core 5.4, Vol 3, Part H, 2.3.
struct PairingAgreement: Hashable, Sendable {
    /// Who shows the passkey and who types it.
    enum PasskeySource: Hashable, Sendable {
        case initiatorShows, responderShows, bothType
    }

    let request: SMP.PairingFeatures
    let response: SMP.PairingFeatures
    let method: PairingMethod
    let passkeySource: PasskeySource
    let isSecureConnections: Bool
    let keySize: Int
    let bonds: Bool
    let usesKeypress: Bool

    var strength: BondStrength {
        BondStrength(
            isAuthenticated: method != .justWorks, isSecureConnections: isSecureConnections, keySize: keySize)
    }

    /// Keys that follow once the link is encrypted. The bits for a Long Term Key mean nothing with LE Secure Connections, and
    /// no key of another transport is ever derived (row S7). Part H, 3.6.1.
    func keys(of role: LinkInfo.Role) -> SMP.KeyDistribution {
        let named = role == .central ? response.initiatorKeys : response.responderKeys
        let useful: SMP.KeyDistribution =
            isSecureConnections ? [.identity, .signing] : [.encryption, .identity, .signing]
        return named.intersection(useful)
    }

    /// Checks both sides' features against each other and our policy.
    ///
    /// - Throws: ``PairingFailure/refused(_:)`` with the reason that the peer is to be told.
    init(
        request: SMP.PairingFeatures, response: SMP.PairingFeatures, context: PairingContext
    ) throws(PairingFailure) {
        let own = context.isInitiator ? request : response
        let peer = context.isInitiator ? response : request
        let policy = context.policy
        guard SMP.IOCapability.known.contains(peer.ioCapability), peer.outOfBand.rawValue <= 1,
            (7...16).contains(peer.maximumKeySize),
            !context.isInitiator || Self.isSubset(response, of: request)
        else { throw .refused(.invalidParameters) }
        let keySize = Int(min(own.maximumKeySize, peer.maximumKeySize))
        guard keySize >= policy.minimumKeySize else { throw .refused(.encryptionKeySize) }
        let isSecure =
            request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)

        let method: PairingMethod
        let wantsProtection =
            request.requirements.contains(.protectedAgainstMITM)
            || response.requirements.contains(.protectedAgainstMITM)
        let ownHas = own.outOfBand == .present
        let peerHas = peer.outOfBand == .present
        if isSecure ? (ownHas || peerHas) : (ownHas && peerHas) {
            method = .outOfBand
        } else if wantsProtection {
            method = Self.method(request.ioCapability, response.ioCapability, isSecure: isSecure)
        } else {
            method = .justWorks
        }
        // The peer says that it has data that we never made (row S19).
        if isSecure, peerHas, context.outOfBand.local == nil { throw .refused(.outOfBandNotAvailable) }

        self.request = request
        self.response = response
        self.method = method
        passkeySource = Self.passkeySource(request.ioCapability, response.ioCapability)
        isSecureConnections = isSecure
        self.keySize = keySize
        bonds = own.requirements.rawValue & 3 == 1 && peer.requirements.rawValue & 3 == 1
        usesKeypress =
            method == .passkeyEntry && request.requirements.contains(.keypress)
            && response.requirements.contains(.keypress)
        if strength.level < policy.minimumLevel {
            let isOnlyShort = policy.minimumLevel == .secureConnections && isSecure && method != .justWorks
            throw .refused(isOnlyShort ? .encryptionKeySize : .authenticationRequirements)
        }
    }

    /// Our part of the feature exchange; `request` is the peer's when we answer.
    static func features(_ context: PairingContext, answering request: SMP.PairingFeatures? = nil)
        -> SMP.PairingFeatures
    {
        let policy = context.policy
        var requirements: SMP.AuthenticationRequirements = []
        if policy.bonds { requirements.insert(.bonding) }
        if policy.wantsProtection { requirements.insert(.protectedAgainstMITM) }
        if policy.supportsSecureConnections { requirements.insert(.secureConnections) }
        if policy.offersKeypress { requirements.insert(.keypress) }
        var sends = policy.bonds ? policy.sends : []
        var takes = policy.bonds ? policy.takes : []
        if context.identity == nil { sends.remove(.identity) }
        if let request {
            if request.requirements.rawValue & 3 != 1 {
                sends = []
                takes = []
            }
            if policy.supportsSecureConnections, request.requirements.contains(.secureConnections) {
                sends.remove(.encryption)
                takes.remove(.encryption)
            }
            takes.formIntersection(request.initiatorKeys)
            sends.formIntersection(request.responderKeys)
        }
        return SMP.PairingFeatures(
            ioCapability: policy.ioCapability, outOfBand: context.outOfBand.flag, requirements: requirements,
            maximumKeySize: UInt8(policy.maximumKeySize), initiatorKeys: context.isInitiator ? sends : takes,
            responderKeys: context.isInitiator ? takes : sends)
    }

    /// The table of Core 5.4, Vol 3, Part H, 2.3.5.1 (table 2.8), for pairings that want protection.
    static func method(
        _ initiator: SMP.IOCapability, _ responder: SMP.IOCapability, isSecure: Bool
    ) -> PairingMethod {
        let canCompare: [SMP.IOCapability] = [.displayYesNo, .keyboardDisplay]
        let canType: [SMP.IOCapability] = [.keyboardOnly, .keyboardDisplay]
        if initiator == .noInputNoOutput || responder == .noInputNoOutput { return .justWorks }
        if isSecure, canCompare.contains(initiator), canCompare.contains(responder) { return .numericComparison }
        return canType.contains(initiator) || canType.contains(responder) ? .passkeyEntry : .justWorks
    }

    /// Who shows and who types, from the same table.
    static func passkeySource(_ initiator: SMP.IOCapability, _ responder: SMP.IOCapability) -> PasskeySource {
        let responderCanType = responder == .keyboardOnly || responder == .keyboardDisplay
        if initiator == .keyboardOnly { return responder == .keyboardOnly ? .bothType : .responderShows }
        return responderCanType ? .initiatorShows : .responderShows
    }

    // MARK: - Private

    /// A response may only take away. Part H, 3.6.1.
    private static func isSubset(_ response: SMP.PairingFeatures, of request: SMP.PairingFeatures) -> Bool {
        let known: SMP.KeyDistribution = [.encryption, .identity, .signing, .link]
        return response.initiatorKeys.intersection(known).isSubset(of: request.initiatorKeys)
            && response.responderKeys.intersection(known).isSubset(of: request.responderKeys)
    }
}
