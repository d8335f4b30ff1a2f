// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Collects samples of audio, and makes a WAV file of them.
///
/// ```swift
/// var recording = AudioRecording(rate: ADPCM.sampleRate, channels: 1)
/// for try await sample in try await node.samples(of: [.adpcmAudio]) { recording.append(sample) }
/// try Data(recording.wave).write(to: url)
/// ```
public struct AudioRecording: Sendable {
    /// Samples a second of each channel.
    public let rate: Int
    /// Channels, whose samples follow each other.
    public let channels: Int
    /// The samples.
    public private(set) var samples: [Int16] = []
    /// True if more came than is kept.
    public private(set) var isFull = false
    private let limit: Int

    /// A recording that keeps at most `limit` samples, by default an hour at 48 kHz.
    public init(rate: Int, channels: Int, limit: Int = 172_800_000) {
        self.rate = rate
        self.channels = channels
        self.limit = limit
    }

    /// Seconds that are there.
    public var duration: Double { Double(samples.count) / Double(max(1, rate * channels)) }

    /// Appends samples.
    public mutating func append(_ more: [Int16]) {
        guard samples.count + more.count <= limit else {
            isFull = true
            return
        }
        samples += more
    }

    /// Appends a sample of the feature ``Feature/adpcmAudio``. Its packets have no numbers: a lost one is not noticed.
    public mutating func append(_ sample: FeatureSample) {
        append(sample.values.list.map { Int16(clamping: Int($0)) })
    }

    /// How loud samples are, in dB below full scale: 0 is the loudest, silence is -96.
    public static func level(of samples: [Int16]) -> Double {
        guard !samples.isEmpty else { return -96 }
        let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let effective = (sum / Double(samples.count)).squareRoot() / 32768
        return effective > 0 ? max(-96, 20 * log10(effective)) : -96
    }

    /// The octets of a WAV file with 16-bit samples.
    public var wave: [UInt8] {
        let size = samples.count * 2
        func little(_ number: Int, _ octets: Int) -> [UInt8] {
            BoardSignals.little(UInt64(truncatingIfNeeded: number), octets)
        }
        var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
        bytes += little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4) + little(channels * 2, 2)
        bytes += little(16, 2) + Array("data".utf8) + little(size, 4)
        bytes.reserveCapacity(bytes.count + size)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
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

    /// A decoder for 8000, 16000, 24000 or 48000 Hz and one or two channels; nil where the library is not installed.
    public init?(rate: Int = 16000, channels: Int = 1) {
        guard [8000, 12000, 16000, 24000, 48000].contains(rate), (1...2).contains(channels),
            let handle = Self.library(),
            let create = unsafe dlsym(handle, "opus_decoder_create"), let decode = unsafe dlsym(handle, "opus_decode"),
            let destroy = unsafe dlsym(handle, "opus_decoder_destroy")
        else { return nil }
        var status: Int32 = 0
        // The library's documented C interface.
        let make = unsafe unsafeBitCast(create, to: Create.self)
        guard let decoder = unsafe make(Int32(rate), Int32(channels), &status), status == 0 else { return nil }
        self.decoder = decoder
        decodeFunction = unsafe unsafeBitCast(decode, to: Decode.self)
        self.destroy = unsafe unsafeBitCast(destroy, to: Destroy.self)
        self.rate = rate
        self.channels = channels
    }

    deinit { destroy(decoder) }

    private static func library() -> UnsafeMutableRawPointer? {
        for name in ["libopus.so.0", "libopus.so", "libopus.0.dylib"] {
            if let handle = unsafe dlopen(name, RTLD_NOW) { return handle }
        }
        return nil
    }

    /// The samples of a packet, interleaved by channel; nil if it is damaged. No packet stands for a lost one, which
    /// is concealed.
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
