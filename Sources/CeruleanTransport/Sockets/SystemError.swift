// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Glibc

/// Texts for error numbers of the system.
enum SystemError {
    /// What the system says about `number`.
    static func text(_ number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }

    /// An error of opening `name`.
    static func opening(_ name: String, _ number: Int32, hint: String? = nil) -> HostError {
        let code: HostError.Code =
            switch number {
            case EPERM, EACCES: .unauthorized
            case EBUSY: .adapterBusy
            default: .noAdapter
            }
        let detail = text(number) + (hint.map { "; " + $0 } ?? "")
        return HostError(code, "opening \(name)", system: number, detail: detail)
    }

    /// An error of a stream that was open.
    static func stream(_ name: String, _ number: Int32) -> HostError {
        HostError(.adapterFailed, name, system: number, detail: "the connection broke: \(text(number))")
    }
}
