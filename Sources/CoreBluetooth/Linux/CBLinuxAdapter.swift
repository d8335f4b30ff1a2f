// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CeruleanAdapters
public import CeruleanHost
import CeruleanStack
public import Foundation

/// The adapter that managers of this process use: Linux alone has a choice.
///
/// Managers that name none use ``system``: what the environment variable `CERULEAN_ADAPTER` says (`auto`, `virtual`,
/// `hci:0`, `tcp:127.0.0.1:6402`, `unix:PATH`), or what the program set.
/// ```swift
/// let world = try VirtualWorld()
/// let phone = CBLinuxAdapter(world: world)
/// let manager = CBCentralManager(delegate: self, queue: queue, linuxAdapter: phone)
/// ```
public final class CBLinuxAdapter: Sendable {
    /// Answers a question of pairing; called on a queue of the module's own. The UUID is the identifier of the peer.
    public typealias PairingHandler =
        @Sendable (
            _ identifier: UUID, _ question: PairingQuestion, _ answer: @escaping @Sendable (PairingAnswer) -> Void
        )
        -> Void

    /// Where questions of pairing are asked.
    static let queue = DispatchQueue(label: "cerulean.pairing")
    private static let chosen = Guarded<CBLinuxAdapter?>(nil)

    let central: RadioSource
    let peripheral: RadioSource
    private let pairing = Guarded<PairingHandler?>(nil)

    /// The adapter of managers that name none. Set it before the first of them is made.
    public static var system: CBLinuxAdapter {
        get {
            chosen { chosen in
                if let chosen { return chosen }
                let made = CBLinuxAdapter(ProcessInfo.processInfo.environment["CERULEAN_ADAPTER"] ?? "auto")
                chosen = made
                return made
            }
        }
        set { chosen { $0 = newValue } }
    }

    /// The adapter that a text names. `virtual` is an air of its own, on which central managers share one radio and
    /// peripheral managers another, so that both sides of an application can meet in one process.
    ///
    /// Bonds are kept in the state directory. A text that names no adapter makes managers `unsupported`, and the log
    /// says why.
    public convenience init(_ text: String) {
        if text == "virtual" {
            do throws(HostError) {
                self.init(world: try VirtualWorld())
            } catch {
                self.init(
                    Adapter(name: text) { () throws(HostError) -> any CeruleanHost.Host in throw error }, decides: true)
            }
            return
        }
        var configuration = StackConfiguration()
        if let path = StateDirectory.path(of: "bonds-\(StateDirectory.fileName(text)).json") {
            configuration.bonds = FileBondStore(path: path, adapter: text)
        }
        do throws(HostError) {
            self.init(try Adapter(parsing: text, configuration: configuration), decides: true)
        } catch {
            self.init(
                Adapter(name: text) { () throws(HostError) -> any CeruleanHost.Host in throw error }, decides: true)
        }
    }

    /// Any adapter of Cerulean, with its own rules for pairing. Managers of both kinds share it.
    public convenience init(_ adapter: Adapter) { self.init(adapter, decides: false) }

    /// A simulated air, on which central managers share one radio and peripheral managers another.
    public init(world: VirtualWorld) {
        central = RadioSource(.virtual(world), controlsPairing: true, pairing: pairing)
        peripheral = RadioSource(.virtual(world), controlsPairing: true, pairing: pairing)
    }

    private init(_ adapter: Adapter, decides: Bool) {
        central = RadioSource(adapter, controlsPairing: decides, pairing: pairing)
        peripheral = central
    }

    /// A host of a simulation, whose clock is held while a queue has something to do.
    package init(host: any CeruleanHost.Host, hold: @escaping @Sendable () -> any Sendable) {
        let adapter = Adapter(name: host.name) { () throws(HostError) -> any CeruleanHost.Host in host }
        central = RadioSource(adapter, controlsPairing: true, pairing: pairing, ownsHost: false, hold: hold)
        peripheral = central
    }

    /// An adapter, or one for each role, whose managers call their delegates through `execute` and not on their queues.
    ///
    /// - Parameter hold: keeps a simulation's clock from moving while something waits.
    package init(
        central: Adapter, peripheral: Adapter? = nil, hold: (@Sendable () -> any Sendable)? = nil,
        execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        let shared = RadioSource(central, controlsPairing: false, pairing: pairing, hold: hold, execute: execute)
        self.central = shared
        guard let peripheral else {
            self.peripheral = shared
            return
        }
        self.peripheral = RadioSource(
            peripheral, controlsPairing: false, pairing: pairing, hold: hold, execute: execute)
    }

    /// Answers questions of pairing in place of the default, which takes Just Works and refuses everything else. Set it
    /// before the first manager is made.
    public func setPairingHandler(_ handler: PairingHandler?) { pairing { $0 = handler } }
}

/// A key for the options of a central manager: the ``CBLinuxAdapter`` that it uses. Linux only.
public let CBCentralManagerOptionLinuxAdapter = "ceruleanInitOptionAdapter"
/// A key for the options of a central manager: whether discovery shows the services 1800 and 1801, a `Bool`. Linux
/// only.
public let CBCentralManagerOptionLinuxShowSystemServices = "ceruleanInitOptionShowSystemServices"
/// A key for the options of a peripheral manager: the ``CBLinuxAdapter`` that it uses. Linux only.
public let CBPeripheralManagerOptionLinuxAdapter = "ceruleanInitOptionAdapter"

/// A key for what a peripheral manager advertises: an iBeacon in place of everything else, 21 octets of `Data` (UUID, major and
/// minor in network order, measured power), as the dictionary of a beacon region holds them on Apple's systems.
public let CBLinuxAdvertisementDataBeaconKey = "kCBAdvDataAppleBeaconKey"

extension CBCentralManager {
    /// A manager on a chosen adapter. Linux only.
    public convenience init(
        delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil,
        linuxAdapter: CBLinuxAdapter
    ) {
        var options = options ?? [:]
        options[CBCentralManagerOptionLinuxAdapter] = linuxAdapter
        self.init(delegate: delegate, queue: queue, options: options)
    }
}

extension CBPeripheralManager {
    /// A manager on a chosen adapter. Linux only.
    public convenience init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil,
        linuxAdapter: CBLinuxAdapter
    ) {
        var options = options ?? [:]
        options[CBPeripheralManagerOptionLinuxAdapter] = linuxAdapter
        self.init(delegate: delegate, queue: queue, options: options)
    }
}
