import Folders
import JSON

/// A topic of an ntfy server.
struct NtfyTopic: FileReceiver {
    static let word = "ntfy"
    static let example = "https://ntfy.sh/TOPIC"
    static let keys = ["secret-file"]
    static let allowance = Allowance.ofPhones
    static let secret = Target.Kind.Secret.asked(
        "Access token, such as tk_...; empty for a topic that is open to everybody")

    /// It may write to the topic; nil if everybody may.
    let token: String?

    init(token: String?) { self.token = token }

    static func check(_ address: WebAddress) throws(BadValue) {
        let parts = address.path.split(separator: "/", omittingEmptySubsequences: true)
        let topic = parts.first.map(String.init) ?? ""
        guard parts.count == 1, address.query.isEmpty, (1...64).contains(topic.utf8.count),
            topic.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else {
            throw BadValue(
                "url: it ends with a topic of letters, digits, - and _; write for example: https://ntfy.sh/TOPIC")
        }
    }

    init(_ file: inout TargetFile.Reading) throws(BadValue) {
        let setting = file["secret-file"]
        token = setting.flatMap { file.secret($0) }
        if let token, let setting, !TargetFile.isHeaderText(token) || token.contains(" ") {
            file.refuse("its file holds no token: one line such as tk_...", setting)
        }
    }

    /// Sent to the server's root as JSON, in which a title may be any text. The message stays below 4096 bytes: more would be a
    /// file.
    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        request.headers.append(("Content-Type", "application/json"))
        if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.member("topic", String(request.address.path.split(separator: "/").first ?? ""))
            // What the title says alone is not said twice.
            if !told.body.isEmpty { json.member("title", told.title) }
            json.member("message", Self.cut(told.body.isEmpty ? told.title : told.body, 3_800))
            json.member("priority", told.priority == .high ? 4 : told.priority == .low ? 2 : 3)
            json.key("tags")
            json.array { json in for tag in told.tags { json.value(tag) } }
            if let link = told.link { json.member("click", link) }
            // From ntfy 2.16 on, later states of an episode and duplicates replace what is shown.
            json.member("sequence_id", told.episode ?? told.id)
        }
        request.body = json.bytes
        request.address = request.address.with(path: "/")
    }

    private static func cut(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var (kept, count) = ("", 0)
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? {
        guard answer.status == 403 else { return nil }
        return .explained(
            token == nil
                ? "not allowed: its topic wants a token, which belongs into a secret-file"
                : "not allowed: its token may not do this")
    }
}

extension Outgoing {
    /// ntfy shows some of these words as pictures, the others as they are.
    fileprivate var tags: [String] {
        let picture: String? =
            switch type {
            case "battery": "battery"
            case "direct-message", "message", "mention": "envelope"
            case "radio-lost", "storage-failing", "problem": "warning"
            case "key-changed": "key"
            default: nil
            }
        return [state == .ends ? "white_check_mark" : picture].compactMap { $0 } + [rule].compactMap { $0 }
    }
}

extension Target.Kind {
    static func ntfy(token: String?) -> Self { Self(NtfyTopic(token: token)) }
}
