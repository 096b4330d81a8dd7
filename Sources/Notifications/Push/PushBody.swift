import JSON
import Nettle

// What a browser or an app is told: one JSON object, which the page's service worker and apps read.
//
//     {"title", "body", "tag", "link", "type", "id", "createdAt"}
//
// A record has 4096 bytes, of which 3993 are text. What is too long is cut behind its last whole character; the title before the
// body only if it alone is longer than any title should be.

enum PushBody {
    /// Bytes of text in one record.
    static let longest = 3_993
    private static let longestTitle = 400

    static func bytes(of told: Outgoing) -> [UInt8] {
        var told = told.isShort ? told.shortened : told
        if JSONText.length(of: told.title) > longestTitle { told.title = JSONText.cut(told.title, longestTitle) }
        let whole = json(told)
        guard whole.count > longest else { return whole }
        let body = told.body
        told.body = ""
        // What is left when everything else is written.
        let room = longest - json(told).count
        told.body = room > 3 ? JSONText.cut(body, room) : ""
        return json(told)
    }

    private static func json(_ told: Outgoing) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.member("title", told.title)
            json.member("body", told.body)
            json.member("tag", told.subject)
            json.member("link", told.view ?? "")
            json.member("type", told.type)
            json.member("id", told.id)
            json.member("createdAt", ISO8601.text(told.at))
        }
        return json.bytes
    }

    /// A push service keeps the latest of each topic for a browser that is away. What a topic is about is nobody's business but
    /// the browser's, so its name is made with the secret that the browser has given, and says nothing.
    ///
    /// - Parameter secret: of the registration.
    /// - Returns: 32 characters (RFC 8030, 5.4).
    static func topic(of told: Outgoing, secret: [UInt8]) -> String {
        Base64.linkEncoded(Array(hmacSHA256(Array("topic \(told.subject)".utf8), key: secret).prefix(24)))
    }
}

extension Outgoing {
    /// What a later one replaces: the conversation, the episode, or nothing but itself again.
    var subject: String { conversation ?? episode ?? id }

    /// It is to be seen now.
    var isUrgent: Bool { priority == .high || type == "direct-message" }

    /// Without what people have written.
    var shortened: Outgoing {
        var short = self
        short.body = ""
        let beginning = "Direct message from "
        if type == "direct-message", title.hasPrefix(beginning) {
            short.title = "A message from \(title.dropFirst(beginning.count))"
        }
        short.title = JSONText.cut(short.title, 120)
        return short
    }
}

/// How long texts are as parts of a JSON document (``JSONWriter``).
enum JSONText {
    static func length(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + length(of: $1) } }

    private static func length(of scalar: Unicode.Scalar) -> Int {
        switch scalar {
        case "\"", "\\", "\u{8}", "\t", "\n", "\u{C}", "\r": 2
        case ..<" ": 6
        default: UTF8.width(scalar)
        }
    }

    /// The beginning of a text, of whole characters, with a sign that it goes on.
    ///
    /// - Parameter bytes: of the result at most, as a part of a JSON document.
    static func cut(_ text: String, _ bytes: Int) -> String {
        guard length(of: text) > bytes else { return text }
        var (kept, left) = ("", bytes - 3)
        for character in text {
            left -= character.unicodeScalars.reduce(0) { $0 + length(of: $1) }
            guard left >= 0 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
