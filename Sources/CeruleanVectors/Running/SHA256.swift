// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The digest that vectors use for long results, by OpenSSL's libcrypto, which is looked for when it is first needed.
enum SHA256 {
    private typealias Function =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?
        ) -> UnsafeMutablePointer<UInt8>?

    private static let function: Function? = {
        for name in ["libcrypto.so.3", "libcrypto.so", "libcrypto.3.dylib", "libcrypto.so.1.1"] {
            guard let library = dlopen(name, RTLD_NOW), let symbol = dlsym(library, "SHA256") else { continue }
            return unsafeBitCast(symbol, to: Function.self)
        }
        return nil
    }()

    /// The 32 octets of the digest.
    ///
    /// - Throws: ``CaseFailure`` if there is no libcrypto.
    static func digest(of message: [UInt8]) throws(CaseFailure) -> [UInt8] {
        guard let function else { throw CaseFailure("libcrypto 3 is missing: install libssl3") }
        var digest = [UInt8](repeating: 0, count: 32)
        message.withUnsafeBytes { bytes in
            digest.withUnsafeMutableBufferPointer { _ = function(bytes.baseAddress, bytes.count, $0.baseAddress) }
        }
        return digest
    }
}
