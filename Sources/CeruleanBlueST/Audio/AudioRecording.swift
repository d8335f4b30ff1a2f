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

    /// Reads a WAV file with 16-bit samples; nil if it is something else. A last sample that is cut off is left out.
    public init?(wave bytes: [UInt8], limit: Int = 172_800_000) {
        func number(_ position: Int, _ octets: Int) -> Int? {
            guard position >= 0, bytes.count - position >= octets else { return nil }
            return bytes[position..<(position + octets)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.starts(with: Array("RIFF".utf8)), bytes.count >= 12, bytes[8..<12].elementsEqual("WAVE".utf8) else {
            return nil
        }
        var position = 12
        var form: (rate: Int, channels: Int)?
        while let size = number(position + 4, 4) {
            let body = position + 8
            if bytes[position..<(position + 4)].elementsEqual("fmt ".utf8) {
                guard number(body, 2) == 1, let channels = number(body + 2, 2), let rate = number(body + 4, 4),
                    number(body + 14, 2) == 16, channels > 0, rate > 0
                else { return nil }
                form = (rate, channels)
            } else if bytes[position..<(position + 4)].elementsEqual("data".utf8), let form {
                self.init(rate: form.rate, channels: form.channels, limit: limit)
                let count = min(size, bytes.count - body) / (2 * form.channels) * form.channels
                guard count <= limit else { return nil }
                append(
                    (0..<count).map { index in
                        Int16(bitPattern: UInt16(bytes[body + 2 * index]) | UInt16(bytes[body + 2 * index + 1]) << 8)
                    })
                return
            }
            // Chunks begin at even places.
            position = body + size + size % 2
        }
        return nil
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
