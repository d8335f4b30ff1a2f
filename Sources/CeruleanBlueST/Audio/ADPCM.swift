// SPDX-License-Identifier: Apache-2.0

/// BlueVoice's ADPCM: 16-bit samples at 8 kHz in four bits each, low nibble first. bluest.md §14.
///
/// ```swift
/// var decoder = ADPCM()
/// decoder.synchronize(index: 30, predictor: 1200)
/// let samples = decoder.decode(packet)
/// ```
public struct ADPCM: Hashable, Sendable {
    /// Samples a second.
    public static let sampleRate = 8000

    private var index = 0
    private var predictor = 0

    /// A decoder, or encoder, in the state in which a stream begins.
    public init() {}

    /// The state: what a sync notification carries.
    public var state: (index: Int, predictor: Int) { (index, predictor) }

    /// Takes over a state; what is out of range is brought into it.
    public mutating func synchronize(index: Int, predictor: Int) {
        self.index = min(88, max(0, index))
        self.predictor = min(32767, max(-32768, predictor))
    }

    /// The samples of a packet, two for each octet.
    public mutating func decode(_ packet: [UInt8]) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(packet.count * 2)
        for octet in packet {
            samples.append(decode(nibble: octet & 15))
            samples.append(decode(nibble: octet >> 4))
        }
        return samples
    }

    /// The packet of samples; an odd last one is followed by its own repetition.
    public mutating func encode(_ samples: [Int16]) -> [UInt8] {
        stride(from: 0, to: samples.count, by: 2).map { position in
            let low = encode(sample: samples[position])
            return low | encode(sample: samples[min(position + 1, samples.count - 1)]) << 4
        }
    }

    mutating func decode(nibble: UInt8) -> Int16 {
        let step = Self.steps[index]
        var difference = step >> 3
        if nibble & 4 != 0 { difference += step }
        if nibble & 2 != 0 { difference += step >> 1 }
        if nibble & 1 != 0 { difference += step >> 2 }
        predictor = min(32767, max(-32768, nibble & 8 != 0 ? predictor - difference : predictor + difference))
        index = min(88, max(0, index + Self.adjustments[Int(nibble & 7)]))
        return Int16(truncatingIfNeeded: predictor)
    }

    private mutating func encode(sample: Int16) -> UInt8 {
        var difference = Int(sample) - predictor
        var nibble: UInt8 = difference < 0 ? 8 : 0
        difference = abs(difference)
        var step = Self.steps[index]
        for bit: UInt8 in [4, 2, 1] {
            if difference >= step {
                nibble |= bit
                difference -= step
            }
            step >>= 1
        }
        _ = decode(nibble: nibble)
        return nibble
    }

    private static let adjustments = [-1, -1, -1, -1, 2, 4, 6, 8]

    private static let steps = [
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
        107,
        118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876,
        963,
        1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358,
        5894,
        6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086,
        29794,
        32767,
    ]
}

/// Decodes audio notifications, and takes over what sync notifications say.
struct ADPCMFeatureDecoder: FeatureDecoding {
    private var adpcm = ADPCM()

    mutating func decode(_ input: inout FeatureInput, into values: inout FeatureValues) throws(FeatureError) -> Bool {
        try input.require(1)
        values.list.reserveCapacity(input.remaining * 2)
        while input.remaining > 0 {
            let octet = try input.uint8()
            values.list.append(Double(adpcm.decode(nibble: octet & 15)))
            values.list.append(Double(adpcm.decode(nibble: octet >> 4)))
        }
        return true
    }

    mutating func observed(_ values: FeatureValues, of feature: Feature) {
        guard let index = values[0], let predictor = values[1] else { return }
        adpcm.synchronize(index: Int(index), predictor: Int(predictor))
    }
}
