// SPDX-License-Identifier: Apache-2.0

import CeruleanHost
import Glibc

/// A serial port of the system, opened for raw octets.
enum SerialPort {
    static let speeds: [(baud: Int, value: speed_t)] = [
        (9_600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)), (57_600, speed_t(B57600)),
        (115_200, speed_t(B115200)), (230_400, speed_t(B230400)), (460_800, speed_t(B460800)),
        (500_000, speed_t(B500000)), (576_000, speed_t(B576000)), (921_600, speed_t(B921600)),
        (1_000_000, speed_t(B1000000)), (1_152_000, speed_t(B1152000)), (1_500_000, speed_t(B1500000)),
        (2_000_000, speed_t(B2000000)), (2_500_000, speed_t(B2500000)), (3_000_000, speed_t(B3000000)),
        (3_500_000, speed_t(B3500000)), (4_000_000, speed_t(B4000000)),
    ]

    /// Opens a port for this process alone: raw, 8N1, RTS/CTS.
    static func open(_ path: String, baud: Int, name: String) -> Result<Int32, HostError> {
        guard let speed = speeds.first(where: { $0.baud == baud })?.value else {
            let known = speeds.map { String($0.baud) }.joined(separator: ", ")
            return .failure(
                HostError(.invalidArgument, "opening \(name)", detail: "no speed \(baud); known are \(known)"))
        }
        let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(error(name, errno)) }
        if let failure = configure(descriptor, speed, name) {
            close(descriptor)
            return .failure(failure)
        }
        return .success(descriptor)
    }

    private static func configure(_ descriptor: Int32, _ speed: speed_t, _ name: String) -> HostError? {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            let number = errno
            guard number == ENOTTY || number == EINVAL else { return error(name, number) }
            return HostError(.noAdapter, "opening \(name)", system: number, detail: "it is no serial port")
        }
        // Later openings by others fail; one that opened it before does not know of us, so its lock is asked for.
        if ioctl(descriptor, UInt(TIOCEXCL)) != 0 { return error(name, errno) }
        unsafe cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD) | tcflag_t(CLOCAL) | crtscts
        settings.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(PARENB))
        guard unsafe cfsetispeed(&settings, speed) == 0, unsafe cfsetospeed(&settings, speed) == 0,
            unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0
        else { return error(name, errno) }
        // What came before we listened belongs to nobody.
        tcflush(descriptor, TCIOFLUSH)
        return nil
    }

    /// Flow control by RTS and CTS.
    private static let crtscts = tcflag_t(0o20_000_000_000)

    private static func error(_ name: String, _ number: Int32) -> HostError {
        let hint: String? =
            switch number {
            case ENOENT, ENODEV, ENXIO:
                "no such port; see what there is: ls /dev/ttyACM* /dev/ttyUSB* /dev/serial/by-id"
            case EACCES, EPERM: "no right to the port: add yourself to its group (dialout), or run as root"
            case EBUSY: "another program has the port"
            default: nil
            }
        return SystemError.opening(name, number, hint: hint)
    }
}
