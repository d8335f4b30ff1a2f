// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value behind a lock.
///
/// `@unchecked Sendable` since the value is reached through the lock alone; what is read out of it is an object of this
/// module, whose own state is guarded the same way, or a value.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Looks at the value, or changes it. Must not call anything that takes another lock and comes back.
    @inline(__always)
    func callAsFunction<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Hands an object from the queue that called us to the one that is called back.
///
/// `@unchecked Sendable` since objects of this module guard their state with locks, and objects of the application
/// (delegates, options) go no further than to the queue that the application itself named for them.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Refers to an object without keeping it.
struct Weak<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
