// SPDX-License-Identifier: Apache-2.0

public import CeruleanSensing
import CeruleanWire

/// Names of recordings: `<name>-<yyyyMMdd-HHmmss>.<ext>`, time in UTC.
public enum RecordingName {
    /// The name of a device as it stands in names of files: letters, digits, `-` and `_` stay, all else becomes `_`.
    public static func sanitized(_ name: String) -> String {
        let text = String(
            name.unicodeScalars.prefix(64).map { scalar -> Character in
                let isPlain =
                    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal || scalar == "-"
                    || scalar == "_"
                return isPlain ? Character(scalar) : "_"
            })
        return text.isEmpty ? "device" : text
    }

    /// The names for devices that are recorded together, in their order: where two are the same, each is followed by `-` and
    /// the last four digits of its address.
    public static func bases(of sources: [SourceDescription]) -> [String] {
        let names = sources.map { sanitized($0.name) }
        var bases: [String] = []
        for (index, source) in sources.enumerated() {
            var base = names[index]
            if names.filter({ $0 == base }).count > 1 {
                let digits = source.address?.description.filter(\.isHexDigit) ?? ""
                base += "-" + (digits.isEmpty ? "\(index + 1)" : String(digits.suffix(4)))
            }
            while bases.contains(base) { base += "_" }
            bases.append(base)
        }
        return bases
    }

    /// The path of a new recording.
    public static func path(directory: String, base: String, start: WallTime, format: RecordingFormat) -> String {
        let directory = directory.isEmpty ? "." : directory
        return "\(directory)\(directory.hasSuffix("/") ? "" : "/")\(base)-\(start.compact).\(format.fileExtension)"
    }
}
