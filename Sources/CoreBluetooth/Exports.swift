// SPDX-License-Identifier: Apache-2.0
// The names are those of the framework of Apple.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Apple's module brings Foundation and Dispatch along, and much code relies on it.
// The C module of the same name has the submodules for `import CoreBluetooth.CBUUID`; the compiler takes this module
// for its overlay.
@_exported import Dispatch
@_exported import Foundation

/// What Objective-C calls a dispatch queue, and Swift on Linux has no other name for.
public typealias dispatch_queue_t = DispatchQueue

/// Seconds since 2001-01-01 00:00 UTC. Linux's Foundation lacks the name.
public typealias CFAbsoluteTime = Double

/// The present moment in seconds since 2001-01-01 00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Nanoseconds in a second, which Dispatch has on Apple's systems alone.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
