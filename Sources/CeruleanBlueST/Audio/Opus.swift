// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What Opus packets are: length, rate, channels. bluest.md §8, number 02; §14.
public struct OpusConfiguration: Hashable, Sendable {
    /// The length of a packet in tenths of a millisecond: 25, 50, 100, 200, 400 or 600.
    public var frameTenths: Int
    /// Samples a second of each channel: 8000, 16000, 24000 or 48000.
    public var rate: Int
    /// Channels, 1 or 2.
    public var channels: Int

    /// By default what boards send unless they say otherwise: 20 ms, 16 kHz, mono.
    public init(frameTenths: Int = 200, rate: Int = 16000, channels: Int = 1) {
        self.frameTenths = frameTenths
        self.rate = rate
        self.channels = channels
    }

    /// Music: 20 ms, 48 kHz, stereo.
    public static let music = Self(rate: 48000, channels: 2)

    /// What a sample of ``Feature/opusAudioConf`` says; nil if it says something else.
    public init?(_ sample: FeatureSample) {
        guard sample.feature === Feature.opusAudioConf, let frame = sample[1], let rate = sample[2],
            let channels = sample[3]
        else { return nil }
        self.init(frameTenths: Int((frame * 10).rounded()), rate: Int(rate), channels: Int(channels))
    }

    private static let frames = [25, 50, 100, 200, 400, 600]
    private static let rates = [8000, 16000, 24000, 48000]

    /// The octets that announce it; nil if there are none for it.
    public var encoded: [UInt8]? {
        guard let frame = Self.frames.firstIndex(of: frameTenths), let rate = Self.rates.firstIndex(of: rate),
            (1...2).contains(channels)
        else { return nil }
        return [0x0B, 0x20 + UInt8(frame), 0x30 + UInt8(rate), channels == 1 ? 0x40 : 0x41]
    }

    /// Samples of each channel in a packet.
    public var frameSamples: Int { rate / 100 * frameTenths / 100 }
}

/// The functions of libopus, found at run time.
private enum OpusLibrary {
    static func function<Type>(_ name: String, as type: Type.Type) -> Type? {
        for library in ["libopus.so.0", "libopus.so", "libopus.0.dylib"] {
            if let handle = unsafe dlopen(library, RTLD_NOW), let symbol = unsafe dlsym(handle, name) {
                // The library's documented C interface.
                return unsafe unsafeBitCast(symbol, to: type)
            }
        }
        return nil
    }
}

/// Decodes Opus packets by the library libopus, where it is installed. bluest.md §14.
///
/// One at a time: not to be used from two tasks at once.
public final class OpusDecoder {
    private typealias Create = @convention(c) (Int32, Int32, UnsafeMutablePointer<Int32>?) -> OpaquePointer?
    private typealias Decode =
        @convention(c) (
            OpaquePointer?, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<Int16>?, Int32, Int32
        ) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer?) -> Void

    /// Samples a second of each channel.
    public let rate: Int
    /// Channels.
    public let channels: Int
    private let decoder: OpaquePointer
    private let decodeFunction: Decode
    private let destroy: Destroy

    /// A decoder for 8000, 12000, 16000, 24000 or 48000 Hz and one or two channels; nil where the library is not
    /// installed.
    public init?(rate: Int = 16000, channels: Int = 1) {
        guard [8000, 12000, 16000, 24000, 48000].contains(rate), (1...2).contains(channels),
            let create = OpusLibrary.function("opus_decoder_create", as: Create.self),
            let decode = OpusLibrary.function("opus_decode", as: Decode.self),
            let destroy = OpusLibrary.function("opus_decoder_destroy", as: Destroy.self)
        else { return nil }
        var status: Int32 = 0
        guard let decoder = unsafe create(Int32(rate), Int32(channels), &status), status == 0 else { return nil }
        self.decoder = decoder
        decodeFunction = decode
        self.destroy = destroy
        self.rate = rate
        self.channels = channels
    }

    /// A decoder for what a board announced; nil where the library is not installed.
    public convenience init?(_ configuration: OpusConfiguration) {
        self.init(rate: configuration.rate, channels: configuration.channels)
    }

    deinit { destroy(decoder) }

    /// The samples of a packet, interleaved by channel; nil if it is damaged. No packet stands for a lost one, which is
    /// concealed.
    public func decode(_ packet: [UInt8]?) -> [Int16]? {
        // The longest packet holds 120 ms.
        let most = rate / 1000 * 120
        var samples = [Int16](repeating: 0, count: most * channels)
        let octets = packet ?? []
        let count = unsafe octets.withUnsafeBufferPointer { input in
            unsafe samples.withUnsafeMutableBufferPointer { output in
                unsafe decodeFunction(
                    decoder, packet == nil ? nil : input.baseAddress, Int32(clamping: input.count), output.baseAddress,
                    Int32(packet == nil ? rate / 50 : most), 0)
            }
        }
        guard count >= 0, Int(count) <= most else { return nil }
        return Array(samples.prefix(Int(count) * channels))
    }
}

/// Makes Opus packets by the library libopus, where it is installed: what a host plays on a board. See ``AudioServer``.
///
/// One at a time: not to be used from two tasks at once.
public final class OpusEncoder {
    private typealias Create = @convention(c) (Int32, Int32, Int32, UnsafeMutablePointer<Int32>?) -> OpaquePointer?
    private typealias Encode =
        @convention(c) (
            OpaquePointer?, UnsafePointer<Int16>?, Int32, UnsafeMutablePointer<UInt8>?, Int32
        ) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer?) -> Void

    /// What the packets are.
    public let configuration: OpusConfiguration
    private let encoder: OpaquePointer
    private let encodeFunction: Encode
    private let destroy: Destroy

    /// The longest packet, by the library's advice.
    private static let packetLimit = 4000

    /// An encoder; nil where the library is not installed, or for a configuration that boards do not know.
    public init?(_ configuration: OpusConfiguration = OpusConfiguration()) {
        guard configuration.encoded != nil,
            let create = OpusLibrary.function("opus_encoder_create", as: Create.self),
            let encode = OpusLibrary.function("opus_encode", as: Encode.self),
            let destroy = OpusLibrary.function("opus_encoder_destroy", as: Destroy.self)
        else { return nil }
        var status: Int32 = 0
        let audio: Int32 = 2049
        guard
            let encoder = unsafe create(
                Int32(configuration.rate), Int32(configuration.channels), audio, &status), status == 0
        else { return nil }
        self.configuration = configuration
        self.encoder = encoder
        encodeFunction = encode
        self.destroy = destroy
    }

    deinit { destroy(encoder) }

    /// The packet of one frame: as many samples as ``OpusConfiguration/frameSamples`` for each channel, interleaved.
    /// Missing ones are silence, more are left out. Nil if the library refuses.
    public func encode(_ samples: [Int16]) -> [UInt8]? {
        let wanted = configuration.frameSamples * configuration.channels
        var frame = Array(samples.prefix(wanted))
        frame += [Int16](repeating: 0, count: wanted - frame.count)
        var packet = [UInt8](repeating: 0, count: Self.packetLimit)
        let count = unsafe frame.withUnsafeBufferPointer { input in
            unsafe packet.withUnsafeMutableBufferPointer { output in
                unsafe encodeFunction(
                    encoder, input.baseAddress, Int32(configuration.frameSamples), output.baseAddress,
                    Int32(Self.packetLimit))
            }
        }
        guard count > 0, Int(count) <= Self.packetLimit else { return nil }
        return Array(packet.prefix(Int(count)))
    }
}
