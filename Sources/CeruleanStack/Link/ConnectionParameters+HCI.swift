// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanWire

extension ConnectionParameters {
    /// From the controller's units: 1.25 ms, events, 10 ms.
    init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        self.init(
            interval: .microseconds(Int64(interval) * 1_250), latency: Int(latency),
            supervisionTimeout: .milliseconds(Int64(timeout) * 10))
    }
}

extension ConnectionParameterRequest {
    /// The numbers in the controller's units. Only for requests without an ``error``.
    var units: (minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16) {
        (
            UInt16(clamping: minimumInterval.wholeNanoseconds / 1_250_000),
            UInt16(clamping: maximumInterval.wholeNanoseconds / 1_250_000), UInt16(clamping: latency),
            UInt16(clamping: supervisionTimeout.wholeNanoseconds / 10_000_000)
        )
    }

    /// Why it cannot be asked for; nil when it can. Core 5.4, Vol 6, Part B, 4.5.1 and 4.5.2.
    var error: HostError? {
        let (minimum, maximum, latency, timeout) = units
        if let text = LEParameters.problem(minimum, maximum, latency, timeout) {
            return HostError(.invalidArgument, detail: text)
        }
        return nil
    }
}

/// The rules for connection parameters. Security L9.
enum LEParameters {
    /// What is wrong with the numbers, in the controller's units; nil when nothing is.
    static func problem(_ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16) -> String? {
        if minimum < 6 || maximum > 3_200 || minimum > maximum { return "the interval goes from 7.5 ms to 4 s" }
        if latency > 499 { return "the latency goes from 0 to 499" }
        if timeout < 10 || timeout > 3_200 { return "the supervision timeout goes from 100 ms to 32 s" }
        // 10 ms × timeout must exceed (1 + latency) × 1.25 ms × maximum × 2.
        if Int(timeout) * 4 <= (1 + Int(latency)) * Int(maximum) {
            return "the supervision timeout must exceed twice (latency + 1) intervals"
        }
        return nil
    }
}
