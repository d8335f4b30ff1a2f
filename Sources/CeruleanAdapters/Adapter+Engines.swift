// SPDX-License-Identifier: Apache-2.0

public import CeruleanHost
public import CeruleanStack
public import CeruleanTransport
public import CeruleanVirtual

extension Adapter {
    /// A radio of this machine over the Linux HCI user channel: `hci:0`.
    public static func hci(_ index: Int, configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil)
        -> Adapter
    {
        Adapter(name: "hci:\(index)") { () throws(HostError) -> any Host in
            guard let index = UInt16(exactly: index) else {
                throw HostError(.invalidArgument, "opening hci:\(index)", detail: "adapters go from 0 to 65535")
            }
            return try threaded(UserChannelTransport(index: index), configuration, tap)
        }
    }

    /// A controller that speaks H4 over TCP: `tcp:HOST:PORT`.
    public static func tcp(
        host: String, port: Int, configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil
    ) -> Adapter {
        Adapter(name: "tcp:\(host):\(port)") { () throws(HostError) -> any Host in
            guard let number = UInt16(exactly: port), number > 0 else {
                throw HostError(.invalidArgument, "opening tcp:\(host):\(port)", detail: "ports go from 1 to 65535")
            }
            return try threaded(StreamTransport.tcp(host: host, port: number), configuration, tap)
        }
    }

    /// A controller that speaks H4 over a Unix socket: `unix:PATH`.
    public static func unix(
        _ path: String, configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil
    ) -> Adapter {
        Adapter(name: "unix:\(path)") { () throws(HostError) -> any Host in
            try threaded(StreamTransport.unix(path: path), configuration, tap)
        }
    }

    /// A controller that speaks H4 on a serial port: `serial:PATH[@BAUD]`.
    ///
    /// 115,200 baud carry some 45 values of 244 octets a second: take what the controller's firmware was built for.
    public static func serial(
        _ path: String, baud: Int = SerialTransport.defaultBaud,
        configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil
    ) -> Adapter {
        Adapter(name: "serial:\(path)@\(baud)") { () throws(HostError) -> any Host in
            try threaded(SerialTransport(path: path, baud: baud), configuration, tap)
        }
    }

    /// A fresh host on a simulated air.
    ///
    /// ```swift
    /// let world = try VirtualWorld()
    /// let central = try await Central(.virtual(world))
    /// let server = try await PeripheralServer(.virtual(world))
    /// ```
    ///
    /// - Parameters:
    ///   - world: The air.
    ///   - name: The device name of the host's GAP service.
    ///   - position: Where the host stands, in meters.
    public static func virtual(
        _ world: VirtualWorld, name: String = "Cerulean", position: Position = .origin
    ) -> Adapter {
        Adapter(name: "virtual") { () throws(HostError) -> any Host in world.makeHost(name: name, position: position) }
    }

    /// The best adapter of this machine: BlueZ where that engine is linked in, else an HCI user channel that can be opened.
    ///
    /// Making its host throws `noAdapter`, `unauthorized` or `adapterBusy` and names `--adapter virtual` when there is none.
    public static var automatic: Adapter { automatic() }

    /// As ``automatic``, with a configuration.
    public static func automatic(configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil)
        -> Adapter
    {
        Adapter(name: "auto") { () throws(HostError) -> any Host in
            do throws(HostError) {
                return try threaded(
                    UserChannelTransport(index: try UserChannelTransport.firstAvailable()), configuration, tap)
            } catch {
                var error = error
                let reason = error.detail.map { $0 + "; " } ?? ""
                error.operation = "looking for a Bluetooth adapter"
                error.detail = reason + "without a radio use --adapter virtual"
                throw error
            }
        }
    }

    /// Reads an adapter string: `auto`, `virtual`, `bluez[:hci0]`, `hci:0`, `tcp:HOST:PORT`, `unix:PATH`, `serial:PATH[@BAUD]`.
    ///
    /// `tap` sees every HCI packet. `virtual` gives an air of its own with nothing on it; programs that have devices to put there do so themselves.
    /// - Throws: `invalidArgument` for anything else.
    public init(
        parsing text: String, configuration: StackConfiguration = StackConfiguration(), tap: HCITap? = nil
    ) throws(HostError) {
        let (kind, rest) = Self.split(text)
        switch (kind, rest) {
        case ("auto", nil):
            self = .automatic(configuration: configuration, tap: tap)
        case ("virtual", nil):
            self = Adapter(name: "virtual") { () throws(HostError) -> any Host in
                let world = VirtualWorld(on: try ThreadLoop(name: "virtual"))
                // The host's transport keeps the world: nobody else does. The loop ends with the host.
                let keeper: HCITap = { isReceived, packet in
                    withExtendedLifetime(world) { tap?(isReceived, packet) }
                }
                return world.makeHost(
                    name: configuration.name, configuration: configuration, tap: keeper, ownsLoop: true)
            }
        case ("hci", let number?):
            guard let index = UInt16(number.hasPrefix("hci") ? String(number.dropFirst(3)) : number) else {
                throw Self.malformed(text, "hci:0")
            }
            self = .hci(Int(index), configuration: configuration, tap: tap)
        case ("tcp", let address?):
            guard let (host, port) = Self.hostAndPort(address) else { throw Self.malformed(text, "tcp:127.0.0.1:6402") }
            self = .tcp(host: host, port: Int(port), configuration: configuration, tap: tap)
        case ("unix", let path?) where !path.isEmpty:
            self = .unix(path, configuration: configuration, tap: tap)
        case ("serial", let place?) where !place.isEmpty:
            guard let (path, baud) = Self.pathAndBaud(place) else {
                throw Self.malformed(text, "serial:/dev/ttyACM0@115200")
            }
            self = .serial(path, baud: baud, configuration: configuration, tap: tap)
        case ("bluez", _):
            self = Self.missing(text, "this build has no BlueZ engine; use hci:0, or virtual without a radio")
        default:
            throw Self.malformed(
                text, "auto, virtual, bluez, hci:0, tcp:HOST:PORT, unix:PATH or serial:PATH")
        }
    }

    // MARK: - private

    private static func threaded(
        _ transport: any HCITransport, _ configuration: StackConfiguration, _ tap: HCITap?
    ) throws(HostError) -> StackHost {
        let carrier: any HCITransport
        if let tap { carrier = TappedTransport(transport, tap: tap) } else { carrier = transport }
        return StackHost(
            transport: carrier, loop: try ThreadLoop(name: transport.name), configuration: configuration,
            ownsLoop: true)
    }

    private static func missing(_ text: String, _ detail: String) -> Adapter {
        Adapter(name: text) { () throws(HostError) -> any Host in
            throw HostError(.unsupported, "opening \(text)", detail: detail)
        }
    }

    private static func malformed(_ text: String, _ example: String) -> HostError {
        HostError(.invalidArgument, "adapter \(text)", detail: "an adapter is written as \(example)")
    }

    private static func split(_ text: String) -> (String, String?) {
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// `PATH` or `PATH@BAUD`.
    private static func pathAndBaud(_ text: String) -> (String, Int)? {
        guard let at = text.lastIndex(of: "@") else { return (text, SerialTransport.defaultBaud) }
        guard let baud = Int(text[text.index(after: at)...]), baud > 0, at > text.startIndex else { return nil }
        return (String(text[..<at]), baud)
    }

    /// `HOST:PORT`, an IPv6 address in brackets.
    private static func hostAndPort(_ text: String) -> (String, UInt16)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isEmpty ? nil : (host, port)
    }
}
