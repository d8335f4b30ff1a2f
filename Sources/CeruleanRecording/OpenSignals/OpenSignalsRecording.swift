// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

/// A recording in the text format of OpenSignals, read whole: one device or several side by side.
///
/// ```swift
/// let recording = try OpenSignalsRecording(contentsOfFile: "ecg.txt")
/// let samples = recording.devices[0].column(named: "A2")
/// ```
///
/// Reads the dialects of section 14.1 of the protocol notes: LF and CRLF, with and without the tab at the end of a line, with
/// more lines of header, and the files of 2015 that do not name their columns.
public struct OpenSignalsRecording: Hashable, Sendable {
    /// One device of the file.
    public struct Device: Hashable, Sendable {
        /// Its address, or whatever the file calls it.
        public var id: String
        /// The model, `bitalino_rev`.
        public var model: String?
        /// Samples per second.
        public var rate: Double?
        /// The names of its columns in order.
        public var columnNames: [String]
        /// The values, column by column.
        public var columns: [[Double]]
        /// Bits of each column, where the file tells.
        public var resolution: [Int]
        /// The inputs, from 1.
        public var channels: [Int]
        /// What the user calls the inputs.
        public var labels: [String]
        /// The codes of the sensors.
        public var sensors: [String]
        /// All that the file says of the device.
        public var header: FieldValue

        /// The values of a column.
        public func column(named name: String) -> [Double]? {
            columnNames.firstIndex(of: name).map { columns[$0] }
        }
    }

    /// The devices in the order of their columns.
    public var devices: [Device]
    /// How many rows there are.
    public var rowCount: Int
    /// True if the last line was cut off; it is left out.
    public var isCut: Bool

    /// The largest file that is read, in octets.
    public static let sizeLimit = 1 << 30

    /// Reads a file.
    ///
    /// - Throws: ``RecordingError`` `.cannotRead`, or `.badData` with the offset.
    public init(contentsOfFile path: String) throws(RecordingError) {
        try self.init(InputFile.read(path, limit: Self.sizeLimit), path: path)
    }

    /// Reads the octets of a file.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - path: Where they are from, for messages.
    /// - Throws: ``RecordingError`` `.badData` with the offset.
    public init(_ bytes: [UInt8], path: String? = nil) throws(RecordingError) {
        var parser = OpenSignalsParser(bytes: bytes, path: path)
        self = try parser.parse()
    }

    init(devices: [Device], rowCount: Int, isCut: Bool) {
        self.devices = devices
        self.rowCount = rowCount
        self.isCut = isCut
    }
}
