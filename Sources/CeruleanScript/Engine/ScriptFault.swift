// SPDX-License-Identifier: Apache-2.0

/// An error of a script that nothing caught, or why it cannot be run.
public struct ScriptFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of end it is.
    public enum Kind: Hashable, Sendable {
        /// An error that nothing caught.
        case uncaught
        /// A file of the script cannot be read.
        case unreadable
        /// The script computed for too long without returning.
        case endless
        /// Nothing with a title that was to be clicked.
        case notClickable
        /// There is no JavaScriptCore.
        case unavailable
    }

    /// What kind of end it is.
    public var kind: Kind
    /// What went wrong.
    public var message: String
    /// The file in which it was thrown; nil when nobody knows.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The column, from 1.
    public var column: Int?
    /// The calls that led there, one a line, as the engine writes them.
    public var stack: String

    /// An error.
    public init(
        _ message: String, kind: Kind = .uncaught, file: String? = nil, line: Int? = nil, column: Int? = nil,
        stack: String = ""
    ) {
        self.kind = kind
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.stack = stack
    }

    /// `app.js:3:9: TypeError: …`.
    public var description: String {
        var place = file ?? ""
        if let line { place += ":\(line)" }
        if line != nil, let column { place += ":\(column)" }
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
