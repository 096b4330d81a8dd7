import Gateway
import JSON

extension NodeNotes {
    /// `{nickname?, notes?}`: null and an empty text take them away.
    public init(_ body: JSONValue?) throws(APIError) {
        guard case .object(let members)? = body else { throw .badRequest("The request body must be a JSON object") }
        self.init(
            nickname: try Self.text(members["nickname"], "nickname", longest: Self.longestNickname, hasLines: false),
            notes: try Self.text(members["notes"], "notes", longest: Self.longestNotes, hasLines: true))
        guard nickname != nil || notes != nil else { throw .badRequest("nickname or notes is required") }
    }

    private static func text(
        _ value: JSONValue?, _ key: String, longest: Int, hasLines: Bool
    ) throws(APIError) -> String?? {
        guard let value else { return nil }
        if value == .null { return .some(nil) }
        guard let given = value.string else { throw .badRequest("\(key) must be text or null") }
        let text = given.withoutControlCharacters.trimmed
        guard text.utf8.count <= longest else { throw .badRequest("\(key) must not be longer than \(longest) bytes") }
        guard hasLines || !text.contains(where: { $0 == "\n" || $0 == "\t" }) else {
            throw .badRequest("\(key) must be one line")
        }
        return .some(text.isEmpty ? nil : text)
    }
}
