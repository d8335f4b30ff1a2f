// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// Consecutive samples of all channels of a source, and what is known to be missing between them.
///
/// A *row* holds one value for each channel. The *index* of a row counts all samples since the start, lost ones too, so that
/// `index / rate` is the row's time even after losses.
public struct SampleBlock: Hashable, Sendable {
    /// Samples missing in front of a row.
    public struct Gap: Hashable, Sendable {
        /// The row of this block in front of which they are missing, from 0.
        public var row: Int
        /// How many are missing, at least 1.
        public var lost: Int
        /// True if `lost` is the likeliest of several possible numbers.
        public var isAmbiguous: Bool

        /// Describes a gap.
        public init(row: Int, lost: Int, isAmbiguous: Bool = false) {
            self.row = row
            self.lost = lost
            self.isAmbiguous = isAmbiguous
        }
    }

    /// The index of the first row.
    public var firstIndex: Int
    /// Seconds of the device's clock from the first sample of the source to the first row.
    public var deviceTime: Double
    /// When the block arrived, on the host's clock.
    public var hostTime: MonotonicTime
    /// Values in a row.
    public var channelCount: Int
    /// The values, row after row. Not a number: the channel has no value in this row.
    public var values: [Double]
    /// Gaps in ascending order of rows. Those in front of row 0 are counted in ``firstIndex`` already.
    public var gaps: [Gap]
    /// Seconds of the device's clock from the first sample to each row; empty if rows follow each other at the source's rate.
    public var rowTimes: [Double]

    /// Describes a block. `values.count` should be a multiple of `channelCount`; what is behind the last whole row is
    /// ignored.
    public init(
        firstIndex: Int, deviceTime: Double, hostTime: MonotonicTime, channelCount: Int, values: [Double],
        gaps: [Gap] = [], rowTimes: [Double] = []
    ) {
        self.firstIndex = firstIndex
        self.deviceTime = deviceTime
        self.hostTime = hostTime
        self.channelCount = channelCount
        self.values = values
        self.gaps = gaps
        self.rowTimes = rowTimes
    }

    /// Rows in the block.
    public var rowCount: Int { channelCount > 0 ? values.count / channelCount : 0 }

    /// Samples missing in front of rows of this block.
    public var lostCount: Int { gaps.reduce(0) { $0 + $1.lost } }

    /// True if the number of lost samples is not certain.
    public var isAmbiguous: Bool { gaps.contains { $0.isAmbiguous } }

    /// The index of each row, in order.
    public var rowIndices: [Int] {
        var indices: [Int] = []
        indices.reserveCapacity(rowCount)
        var next = firstIndex
        var gap = 0
        for row in 0..<rowCount {
            while gap < gaps.count, gaps[gap].row <= row {
                if gaps[gap].row > 0 { next += gaps[gap].lost }
                gap += 1
            }
            indices.append(next)
            next += 1
        }
        return indices
    }

    /// The values of one row.
    public subscript(row row: Int) -> ArraySlice<Double> {
        values[row * channelCount..<(row + 1) * channelCount]
    }
}
