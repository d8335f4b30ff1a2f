// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import CeruleanTransport
import CeruleanWire
import Glibc
import Testing

/// A pair of pseudo terminals: what a program writes to the one end comes out of the other.
final class TerminalPair: Sendable {
    let controller: Int32
    /// A name of its own, which goes when the port is pulled out: the system uses its numbers again.
    let path: String

    init() throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(controller >= 0)
        // TIOCSPTLCK and TIOCGPTN, which the system's module does not name.
        var lock: Int32 = 0
        try #require(ioctl(controller, 0x4004_5431, &lock) == 0)
        var number: Int32 = 0
        try #require(ioctl(controller, 0x8004_5430, &number) == 0)
        path = "/tmp/cerulean-port-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(symlink("/dev/pts/\(number)", path) == 0)
    }

    func write(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { Glibc.write(controller, $0.baseAddress, $0.count) } }

    /// Waits for `count` octets from the port.
    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < count {
            let got = part.withUnsafeMutableBytes {
                Glibc.read(controller, $0.baseAddress, min($0.count, count - bytes.count))
            }
            guard got > 0 else { break }
            bytes += part[..<got]
        }
        return bytes
    }

    func unplug() {
        unlink(path)
        close(controller)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SerialTransportTests {
    @Test func carriesAllOctetsBothWays() async throws {
        let pair = try TerminalPair()
        defer { pair.unplug() }
        let loop = try ThreadLoop(name: "serial")
        defer { loop.shutdown() }
        let transport = SerialTransport(path: pair.path, baud: 1_000_000)
        #expect(transport.name == "serial:\(pair.path)@1000000")
        let receiver = Receiver()
        #expect(await receiver.open(transport, on: loop) == nil)
        // Octets that a terminal would take for its own: interrupt, end of file, line ends, flow control.
        let all = (0...255).map { UInt8($0) }
        pair.write(all)
        #expect(await receiver.next(256) == all)
        loop.execute { transport.send(all.span.bytes) }
        #expect(pair.read(256) == all)
        transport.close()
    }

    @Test func aPortThatIsPulledOutClosesAndCanBeOpenedAgain() async throws {
        let pair = try TerminalPair()
        let loop = try ThreadLoop(name: "serial")
        defer { loop.shutdown() }
        let transport = SerialTransport(path: pair.path)
        let receiver = Receiver()
        #expect(await receiver.open(transport, on: loop) == nil)
        pair.unplug()
        let error = await receiver.closed()
        #expect(error.code == .adapterFailed && error.detail == "the port is gone")
        // The port is not there any more: that is said, not the old failure.
        #expect(await Receiver().open(transport, on: loop)?.code == .noAdapter)
    }

    @Test func aPortBelongsToOne() async throws {
        // Root may open a port that is taken.
        guard geteuid() != 0 else { return }
        let pair = try TerminalPair()
        defer { pair.unplug() }
        let loop = try ThreadLoop(name: "serial")
        defer { loop.shutdown() }
        let first = SerialTransport(path: pair.path)
        #expect(await Receiver().open(first, on: loop) == nil)
        #expect(await Receiver().open(SerialTransport(path: pair.path), on: loop)?.code == .adapterBusy)
        first.close()
    }

    @Test(arguments: [
        ("/dev/nonexistent", 115_200, HostError.Code.noAdapter, "no such port"),
        ("/dev/null", 115_200, .noAdapter, "no serial port"), ("/dev/null", 12_345, .invalidArgument, "no speed 12345"),
    ])
    func saysWhyAPortCannotBeOpened(path: String, baud: Int, code: HostError.Code, text: String) async throws {
        let loop = try ThreadLoop(name: "serial")
        defer { loop.shutdown() }
        let error = await Receiver().open(SerialTransport(path: path, baud: baud), on: loop)
        #expect(error?.code == code)
        #expect(error?.detail?.contains(text) == true, "\(String(describing: error?.detail))")
    }
}
