// A text longer than one packet goes out as several. It is cut where MeshMonitor cuts it (Contract 3.6): two
// gateways must cut alike, and the client is told how many parts there are before anything is sent.
//
// 1. The longest start of what is left that fits into 200 bytes of UTF-8. We never cut inside a grapheme, because
//    the recipient sees the halves in two messages; one that alone is too long is cut between scalars.
// 2. Inside it, after the last place of the best kind that lies far enough back not to waste the packet.
// 3. Blanks at the cut go away on both sides. Parts carry no numbers.

import MeshModel

public enum MessageSplitter {
    /// UTF-8 bytes of one part. The radio could take 233, but clients count on 200.
    public static let maximumBytes = 200
    public static let maximumParts = 3

    /// Kinds of places, best first. A place counts when it lies beyond this share of the start (in UTF-16 units).
    private static let breaks: [(separator: String, beyond: Double)] = [
        ("\n", 0.5), (". ", 0.5), ("! ", 0.5), ("? ", 0.5), (", ", 0.5), ("; ", 0.5), (": ", 0.5), (" - ", 0.5),
        (" ", 0.3), ("-", 0.3),
    ]

    /// The parts of a trimmed text, in order; the text itself when it fits into one.
    public static func split(_ text: String) -> [String] {
        var parts: [String] = []
        var rest = Substring(text)
        while rest.utf8.count > maximumBytes {
            let start = longestStart(of: rest)
            let end = bestBreak(in: start)
            parts.append(rest[..<end].trimmedEnd)
            rest = Substring(rest.unicodeScalars[end...].drop(while: \.isJavaScriptBlank))
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(String(rest)) }
        return parts
    }

    private static func longestStart(of text: Substring) -> Substring {
        // Looking a little further tells whether the grapheme at the limit goes on; not the whole text, because a
        // single grapheme can be as long as a hostile client likes.
        let lookahead = scalarBoundary(in: text, atMost: maximumBytes + 100)
        let limit = scalarBoundary(in: text, atMost: maximumBytes)
        var end = text.startIndex
        for index in text[..<lookahead].indices where index <= limit { end = index }
        return text[..<(end > text.startIndex ? end : limit)]
    }

    /// The last boundary between scalars within so many bytes.
    private static func scalarBoundary(in text: Substring, atMost bytes: Int) -> String.Index {
        guard var index = text.utf8.index(text.startIndex, offsetBy: bytes, limitedBy: text.endIndex) else {
            return text.endIndex
        }
        while index < text.endIndex, UTF8.isContinuation(text.utf8[index]) { index = text.utf8.index(before: index) }
        return index
    }

    private static func bestBreak(in start: Substring) -> String.Index {
        let units = Array(start.utf16)
        for (separator, beyond) in breaks {
            let wanted = Array(separator.utf16)
            guard let found = lastOccurrence(of: wanted, in: units), Double(found) > Double(units.count) * beyond
            else { continue }
            return start.utf16.index(start.startIndex, offsetBy: found + wanted.count)
        }
        return start.endIndex
    }

    private static func lastOccurrence(of wanted: [UInt16], in units: [UInt16]) -> Int? {
        guard units.count >= wanted.count else { return nil }
        return stride(from: units.count - wanted.count, through: 0, by: -1).first {
            units[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
    }
}
