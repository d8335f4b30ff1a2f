// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Sends an image to the loader of an STM32WB or WBA. bluest.md §13.3.
///
/// The application is asked to restart into the loader first (``rebootRequest(for:layout:destination:)``); the loader
/// is another device, with the next address.
public struct LoaderUpgrade: UpgradeProcedure {
    /// What is upgraded.
    public enum Destination: UInt8, Hashable, Sendable {
        /// The radio's firmware; on WBA and WB09 the user data.
        case radio = 0x01
        /// The application.
        case application = 0x02

        init(_ destination: ConsoleUpgrade.Destination) {
            self = destination == .radio ? .radio : .application
        }
    }

    /// Where a microcontroller keeps images.
    public struct Layout: Hashable, Sendable {
        /// The first sector of the application.
        public var applicationSector: UInt8
        /// The first sector of the radio or user data.
        public var radioSector: UInt8
        /// Octets in a sector.
        public var sectorSize: Int
        /// Whether the number of sectors follows the address.
        public var sendsSectorCount: Bool

        /// STM32WB55.
        public static let wb55 = Self(0x07, 0x11, 4096, false)
        /// STM32WB15.
        public static let wb15 = Self(0x0E, 0x0E, 2048, false)
        /// STM32WB09.
        public static let wb09 = Self(0x7F, 0xFC, 2048, false)
        /// STM32WBA5.
        public static let wba5 = Self(0x40, 0x7D, 8192, true)
        /// STM32WBA6.
        public static let wba6 = Self(0x80, 0xFA, 8192, true)
        /// STM32WBA2.
        public static let wba2 = Self(0x40, 0x7A, 4096, true)

        private init(_ application: UInt8, _ radio: UInt8, _ size: Int, _ count: Bool) {
            applicationSector = application
            radioSector = radio
            sectorSize = size
            sendsSectorCount = count
        }

        /// The layout of a board; nil for boards without such a loader.
        public init?(board: Board) {
            switch board.token {
            case let name where name.hasPrefix("WB15"): self = .wb15
            case "WB05_NUCLEO_BOARD", "WB0X_NUCLEO_BOARD": self = .wb09
            case "WBA2_NUCLEO_BOARD": self = .wba2
            case let name where name.contains("WBA6"): self = .wba6
            case _ where board.family == .wba: self = .wba5
            case _ where board.family == .wb || board.family == .wbBased: self = .wb55
            default: return nil
            }
        }

        /// Where in the microcontroller's memory the application begins.
        public var applicationAddress: UInt32 {
            // The flash memory of the STM32WB09 is where that of the BlueNRG is.
            let base: UInt32 = self == .wb09 ? 0x1004_0000 : 0x0800_0000
            return base + UInt32(applicationSector) * UInt32(truncatingIfNeeded: sectorSize)
        }

        /// Octets of an image whose sectors one octet counts.
        var largestImage: Int { 255 * sectorSize }

        func sector(_ destination: Destination) -> UInt8 {
            destination == .application ? applicationSector : radioSector
        }
    }

    private enum State: Hashable, Sendable { case idle, awaitingReady, sending, ending, awaitingRestart, done }

    private let image: [UInt8]
    private let layout: Layout
    private let destination: Destination
    private let packetSize: Int
    private var state = State.idle
    private var position = 0
    /// When the loader must have answered.
    public private(set) var nextDeadline = MonotonicTime.distantFuture

    static let timeout: Duration = .seconds(10)

    /// An upgrade. `writeSize` is what a write without response can hold; a multiple of eight octets of it is used.
    public init(_ image: FirmwareImage, layout: Layout, destination: Destination = .application, writeSize: Int = 20) {
        self.image = image.bytes
        self.layout = layout
        self.destination = destination
        packetSize = writeSize < 24 ? 20 : writeSize / 8 * 8
    }

    /// What is written to ``BlueSTUUID/rebootRequest`` of the application: it restarts into the loader and frees the
    /// sectors.
    public static func rebootRequest(
        for image: FirmwareImage, layout: Layout, destination: Destination = .application
    ) -> [UInt8] {
        let sectors = (image.bytes.count + layout.sectorSize - 1) / layout.sectorSize
        return [0x01, layout.sector(destination), UInt8(clamping: sectors)]
    }

    /// What the loader is about to do.
    public var subscriptions: [UpgradeChannel] { [.loaderEvents] }

    /// What was sent.
    public var progress: UpgradeProgress { UpgradeProgress(sent: position, total: image.count) }

    /// Tells the loader where the image goes.
    public mutating func start(at now: MonotonicTime) -> [UpgradeAction] {
        let address = UInt32(layout.sector(destination)) * UInt32(layout.sectorSize)
        var command: [UInt8] = [
            destination.rawValue, UInt8(truncatingIfNeeded: address >> 16), UInt8(truncatingIfNeeded: address >> 8),
            UInt8(truncatingIfNeeded: address),
        ]
        if layout.sendsSectorCount {
            command.append(UInt8(clamping: (image.count + layout.sectorSize - 1) / layout.sectorSize))
        }
        position = 0
        state = .awaitingReady
        nextDeadline = now + Self.timeout
        return [.write(command, to: .loaderControl, withResponse: true)]
    }

    /// Takes what the loader says.
    public mutating func received(
        _ bytes: [UInt8], from channel: UpgradeChannel, at now: MonotonicTime
    ) -> [UpgradeAction] {
        guard channel == .loaderEvents, let event = bytes.first, state != .done, state != .idle else { return [] }
        switch event {
        case 0x02 where state == .awaitingReady:
            state = .sending
            return send(at: now)
        case 0x01 where state == .ending || state == .awaitingRestart: return end([.finished])
        case 0x03:
            let error = UpgradeError(
                .noSpace, "the loader has no room for the image of \(image.count) octets: \(remains)")
            return end([.failed(error)])
        default: return []
        }
    }

    /// Sends what follows.
    public mutating func writeCompleted(at now: MonotonicTime) -> [UpgradeAction] {
        switch state {
        case .sending: return send(at: now)
        case .ending:
            state = .awaitingRestart
            nextDeadline = now + Self.timeout
            return []
        case .idle, .awaitingReady, .awaitingRestart, .done: return []
        }
    }

    /// Cancels: the loader forgets what it has, and waits for a new start.
    public mutating func abandon() -> [UpgradeAction] {
        guard state != .idle, state != .done else { return [] }
        state = .done
        nextDeadline = .distantFuture
        return [.write([0x08], to: .loaderControl, withResponse: true)]
    }

    /// The sectors were erased when the application restarted into the loader.
    public var remains: String {
        "the board stays in its loader, without an application until an image is complete; "
            + "start the upgrade again, it needs no restart"
    }

    /// Gives up.
    public mutating func deadlineReached(at now: MonotonicTime) -> [UpgradeAction] {
        guard now >= nextDeadline, state != .done, state != .idle else { return [] }
        let what =
            state == .awaitingRestart
            ? "the loader has all of the image but does not restart"
            : "the loader does not answer after \(position) of \(image.count) octets: \(remains)"
        return end([.failed(UpgradeError(.noAnswer, what))])
    }

    // MARK: - Private

    private mutating func send(at now: MonotonicTime) -> [UpgradeAction] {
        nextDeadline = now + Self.timeout
        guard position < image.count else {
            state = .ending
            return [.write([0x07], to: .loaderControl, withResponse: true)]
        }
        let next = min(image.count, position + packetSize)
        defer { position = next }
        return [.write(Array(image[position..<next]), to: .loaderData, withResponse: false)]
    }

    private mutating func end(_ actions: [UpgradeAction]) -> [UpgradeAction] {
        state = .done
        nextDeadline = .distantFuture
        return actions
    }
}
