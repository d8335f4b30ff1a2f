// SPDX-License-Identifier: Apache-2.0

import FuzzCerulean
import Glibc

/// The target that the environment names; libFuzzer makes inputs for one target per process.
private let target: FuzzTarget = {
    let name = unsafe getenv("CERULEAN_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
    exit(
        FuzzProgram.say(
            "CERULEAN_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))\n", 2))
}()

/// What libFuzzer calls for each input. A condition that does not hold ends the process, as a trap does.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let failures = target.run(data: unsafe Array(UnsafeBufferPointer(start: data, count: size)))
    for failure in failures { FuzzProgram.say("FAILED \(failure)\n") }
    if !failures.isEmpty { abort() }
    return 0
}
