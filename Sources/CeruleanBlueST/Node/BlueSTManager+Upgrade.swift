// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire

extension BlueSTManager {
    /// Brings an image into a board, whichever way it takes: an STM32WB's application is restarted into its loader,
    /// which is found and given the image; all others are upgraded as ``Node/upgrade(_:options:events:)`` does it.
    ///
    /// - Throws: ``UpgradeError``, which says what state the board is left in; `BluetoothError` when it cannot be
    ///   reached.
    public func upgrade(
        _ node: Node, with image: FirmwareImage, options: Node.UpgradeOptions = Node.UpgradeOptions(),
        events: @Sendable (Node.UpgradeEvent) -> Void = { _ in }
    ) async throws {
        if !node.isConnected { try await node.connect(timeout: options.timeout) }
        guard node.upgradeMethod == .restartIntoLoader else {
            do {
                return try await node.upgrade(image, options: options, events: events)
            } catch let error as UpgradeError where error.code == .notBack {
                throw await lookingElsewhere(for: node, error)
            }
        }
        try node.check(image, options, .restartIntoLoader)
        var options = options
        options.layout = options.layout ?? LoaderUpgrade.Layout(board: node.board) ?? .wb55
        events(.restartingIntoLoader)
        try await node.restartIntoLoader(
            for: image, destination: .init(options.destination), layout: options.layout, timeout: options.timeout)
        // The board ends the link by itself.
        let loop = central.host.loop
        let deadline = loop.now + .seconds(3)
        while node.isConnected, loop.now < deadline { try await loop.sleep(for: .milliseconds(100)) }
        try? await node.disconnect(timeout: options.timeout)
        guard let loader = try await loader(of: node, timeout: options.timeout * 3) else {
            throw UpgradeError(
                .noAnswer,
                "\(node.name) was asked to restart into its loader, and no loader came up: switch it off and on; if "
                    + "a loader (STM32WB_OTA) shows up then, give it the image, else the board has its old firmware")
        }
        events(.loaderFound(loader))
        try await loader.connect(timeout: options.timeout)
        try await loader.upgrade(image, options: options, events: events)
    }

    /// Adds to an error under what other address a board of the same kind and name is there now. It may be another
    /// one, so the upgrade does not go on with it by itself.
    private func lookingElsewhere(for node: Node, _ error: UpgradeError) async -> UpgradeError {
        let own = node.advertisement
        var others: [String] = []
        let scan = central.scan(duplicates: true, timeout: .seconds(5))
        do {
            for try await found in scan {
                guard let seen = try? BlueSTAdvertisement(found), seen.name == own.name,
                    seen.deviceID == own.deviceID, let address = found.address?.description, address != node.tag,
                    !others.contains(address), others.count < 8
                else { continue }
                others.append(address)
            }
        } catch {
            // Without a scan there is nothing to add.
        }
        guard !others.isEmpty else { return error }
        return UpgradeError(
            error.code,
            "\(error.message); a \(node.board.name) of the same name is there as \(others.joined(separator: ", ")): "
                + "if that is the board under another address, go on with it")
    }

    /// The loader of a board that restarted into it: it advertises with the next address. bluest.md §1.5.
    ///
    /// - Throws: `BluetoothError` if there can be no scan.
    /// - Returns: nil if none came up in time.
    public func loader(of node: Node, timeout: Duration = .seconds(30)) async throws(BluetoothError) -> Node? {
        let own = node.advertisement.address ?? node.peripheral?.address?.address
        for try await found in central.scan(duplicates: true, timeout: timeout) {
            guard let advertisement = try? BlueSTAdvertisement(found), advertisement.content == .loader else {
                continue
            }
            // Where the host does not tell addresses, the first loader is the one.
            if let own, let its = advertisement.address ?? found.address?.address {
                guard its == own.next || its == own else { continue }
            }
            return Node(found.peripheral, advertisement: advertisement, options: nil, knowledge: provider)
        }
        return nil
    }
}

extension BluetoothAddress {
    /// The next address: that of a loader beside its application.
    fileprivate var next: Self { Self(rawValue: (rawValue + 1) & 0xFFFF_FFFF_FFFF) }
}
