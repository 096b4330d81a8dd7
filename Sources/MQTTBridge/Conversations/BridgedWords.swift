import MeshModel

/// What a bridge says on a channel for a text of the conversation: `WRITER: TEXT`, in one packet. All gateways say the same,
/// so that each knows what another one has said already.
enum BridgedWords {
    /// Bytes.
    static let longest = 200
    private static let longestWriter = 24
    private static let more = "…"

    static func of(_ text: String, by writer: String) -> String {
        let name = shown(writer).beginning(bytes: longestWriter).trimmedEnd
        let whole = "\(name.isEmpty ? "?" : name): \(text)".trimmedEnd
        guard whole.utf8.count > longest else { return whole }
        return whole.beginning(bytes: longest - more.utf8.count).trimmedEnd + more
    }

    /// In one line, without what turns the text that follows.
    private static func shown(_ writer: String) -> String {
        var shown = ""
        for scalar in writer.unicodeScalars where !scalar.turnsText {
            shown.unicodeScalars.append(scalar.properties.isWhitespace ? " " : scalar)
        }
        return shown.trimmed
    }
}

extension Unicode.Scalar {
    /// A mark, an embedding, an override or an isolate of the bidirectional algorithm.
    fileprivate var turnsText: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// As many whole characters as there is room for; of a first one that is longer alone, as many of its scalars.
    fileprivate func beginning(bytes: Int) -> String {
        var (kept, count) = ("", 0)
        for character in self {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        guard kept.isEmpty else { return kept }
        count = 0
        for scalar in unicodeScalars {
            count += String(scalar).utf8.count
            guard count <= bytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }
}
