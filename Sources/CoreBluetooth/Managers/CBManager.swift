// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// What central and peripheral managers have in common: the state of their adapter.
open class CBManager: NSObject {
    private static let denied = Atomic<Bool>(false)
    private let current = Guarded(CBManagerState.unknown)
    let core: ManagerCore

    /// Whether the adapter can be used. Changes on the manager's queue, right before the delegate hears of it.
    open var state: CBManagerState { current { $0 } }

    /// Whether the process may use Bluetooth: denied after the system refused it an adapter.
    open class var authorization: CBManagerAuthorization {
        denied.load(ordering: .relaxed) ? .denied : .allowedAlways
    }

    /// Whether the process may use Bluetooth.
    @available(*, deprecated, message: "use the class property")
    open var authorization: CBManagerAuthorization { type(of: self).authorization }

    /// Can be named from outside of the module, though not called: else subclasses of the managers would not inherit
    /// their convenience initializers.
    @usableFromInline
    init(_ core: ManagerCore) {
        self.core = core
        super.init()
        core.belongs(to: self)
    }

    func setState(_ state: CBManagerState) {
        if state == .unauthorized {
            Self.denied.store(true, ordering: .relaxed)
        } else if state == .poweredOn {
            Self.denied.store(false, ordering: .relaxed)
        }
        current { $0 = state }
    }

    /// The radio's state changed. Called on the queue.
    func radioChanged(_ state: CBManagerState) { setState(state) }

    /// True when commands are taken; else says so in the log.
    func isReady(for command: @autoclosure () -> String) -> Bool {
        if state == .poweredOn { return true }
        misuse("\(command()): \(self) can only accept this command while in the powered on state")
        return false
    }

    func misuse(_ text: String) { CBLinuxLog.write("API MISUSE: \(text)") }
}
