// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
public import Foundation

/// What a central wants from a characteristic without a value of its own.
open class CBATTRequest: NSObject {
    /// Requests that are answered together.
    final class Batch: Sendable {
        /// Nil when no answer is wanted.
        let token: RequestToken?
        private let isOpen = Guarded(true)

        init(_ token: RequestToken?) { self.token = token }

        /// True once.
        func close() -> Bool {
            isOpen { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }
    }

    private let sender: CBCentral
    private let target: CBCharacteristic
    private let start: Int
    private let content: Guarded<Data?>
    let batch: Batch
    /// The first of its batch, which alone is answered.
    let isFirst: Bool
    let isRead: Bool

    /// Who asks.
    open var central: CBCentral { sender }
    /// What is asked for: the object that was published.
    open var characteristic: CBCharacteristic { target }
    /// Where in the value to begin.
    open var offset: Int { start }
    /// What is written; or what is answered to a read, from ``offset`` on.
    open var value: Data? {
        get { content { $0 } }
        set { content { $0 = newValue } }
    }

    init(
        central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, isRead: Bool, batch: Batch,
        isFirst: Bool
    ) {
        sender = central
        target = characteristic
        start = offset
        content = Guarded(value)
        self.batch = batch
        self.isFirst = isFirst
        self.isRead = isRead
    }

    /// The class and the rest, for people.
    open override var description: String {
        "<CBATTRequest: central = \(central), characteristic = \(characteristic.uuid), offset = \(offset), "
            + "value = \(value.map { "{length = \($0.count)}" } ?? "(null)")>"
    }
}
