// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Says which input it was when the process dies.
enum CrashReport {
    /// The number of the target in ``FuzzTarget/all``; beyond them the scenarios.
    static let target = Atomic<Int>(-1)
    /// The seed of the run.
    static let seed = Atomic<UInt64>(0)
    /// The number of the input in the run.
    static let input = Atomic<Int>(0)

    static func install() {
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS, SIGFPE] {
            _ = Glibc.signal(signal) { number in
                // Only what is allowed in a signal's handler: numbers into a buffer of the stack, and write.
                CrashReport.write("fuzz-cerulean died: signal ")
                CrashReport.write(UInt64(number))
                CrashReport.write(" target ")
                CrashReport.write(UInt64(bitPattern: Int64(CrashReport.target.load(ordering: .relaxed))))
                CrashReport.write(" seed ")
                CrashReport.write(CrashReport.seed.load(ordering: .relaxed))
                CrashReport.write(" input ")
                CrashReport.write(UInt64(bitPattern: Int64(CrashReport.input.load(ordering: .relaxed))))
                CrashReport.write("\n")
                _ = Glibc.signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private static func write(_ text: StaticString) {
        _ = unsafe Glibc.write(2, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func write(_ number: UInt64) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number
            var count = 0
            repeat {
                unsafe digits[19 - count] = UInt8(48 + rest % 10)
                rest /= 10
                count += 1
            } while rest > 0
            _ = unsafe Glibc.write(2, digits.baseAddress.map { unsafe $0 + 20 - count }, count)
        }
    }
}
