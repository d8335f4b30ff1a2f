// SPDX-License-Identifier: Apache-2.0

public import CoreBluetooth

/// How a script is run.
public struct ScriptOptions: Sendable {
    /// Where `require` looks for the modules that the script names; nil is the folder of the script.
    public var folder: String?
    /// Names the script among those whose state is kept; nil is made of its path.
    public var identifier: String?
    /// What `Ti.Platform.cerulean.arguments` holds.
    public var arguments: [String] = []
    /// Titles of buttons, rows or choices that are clicked one after the other, each as soon as it can be seen.
    public var clicks: [String] = []
    /// `Ti.Platform.osname`: scripts that are shared between systems ask for it.
    public var osname = "iphone"
    /// `Ti.Platform.version`: scripts compare it as text.
    public var version = "7.1"
    /// `Ti.Platform.username`.
    public var username = "Cerulean"
    /// Refuses regions and ranging, as if the user had.
    public var deniesLocation = false
    /// Seconds of computing after which a script that does not return is ended; 0 lets it run.
    public var turnLimit = 10.0
    /// The adapter of the script.
    public var adapter: CBLinuxAdapter?

    /// The defaults.
    public init() {}
}

/// What a script tells the outside.
public struct ScriptOutput: Sendable {
    /// A line that the script writes: the level, `INFO`, and its text.
    public var log: @Sendable (_ level: String, _ text: String) -> Void
    /// A line about the script: warnings, what was clicked.
    public var talk: @Sendable (_ text: String) -> Void

    /// Two functions, called on the thread of the script.
    public init(
        log: @escaping @Sendable (_ level: String, _ text: String) -> Void,
        talk: @escaping @Sendable (_ text: String) -> Void
    ) {
        self.log = log
        self.talk = talk
    }
}
