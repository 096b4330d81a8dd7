import Foundation
import Routes
import Testing

@testable import RestAPI

/// `deploy/run`, the pages and the page that adds a phone give the same rights: those of one constant.
@Suite struct ATokenOfThePageMayWhatTheFirstMay {
    /// Every line of these that makes the token of a person, with its scopes.
    private static let places = [
        "deploy/run", "README.md", "deploy/MANUAL.md", "deploy/debian/mesh-gateway.postinst", "Sources/WebPage/door.js",
    ]

    /// `--scope WORD`, behind `token create phone` and `token create first`.
    private static func scopes(in file: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        return text.matches(of: /token create (?:phone|first)((?: --scope [a-z_:]+)+)/).map { line in
            line.1.split(separator: " ").filter { $0 != "--scope" }.map(String.init)
        }
    }

    @Test(arguments: places) func inEachPlaceThatSaysIt(_ file: String) throws {
        let found = try Self.scopes(in: file)
        #expect(!found.isEmpty, "\(file) makes no first token")
        for words in found { #expect(words == Scopes.firstToken.list, "\(file)") }
    }

    @Test func andInWhatItAnswers() throws {
        let test = try TestGateway()
        let made = try test.ask("POST", "/api/v1/tokens", as: try test.token(["admin"]), #"{"name":"phone"}"#)
        #expect(made.status == 201, "\(made.text)")
        let data = try made.data
        #expect(data["scopes"] as? [String] == Scopes.firstToken.list)
        let text = try #require(data["token"] as? String)
        let phone = try #require(APIToken(text))

        func permissions(_ token: APIToken) throws -> [String] {
            let token = try #require(try test.ask("GET", "/api/v1/me", as: token).data["token"] as? [String: Any])
            return try #require(token["permissions"] as? [String])
        }
        let words = try #require(try Self.scopes(in: "README.md").first)
        let first = try test.token(words)
        #expect(try permissions(phone) == permissions(first))
        #expect(try permissions(phone).contains("nodes:write"))
        #expect(try !permissions(phone).contains("configuration:write"))
        let row = try test.store.read { try $0.tokens() }.first { $0.name == "phone" }
        #expect(row != nil && row?.expiresAt == nil)

        // It makes none itself.
        let refused = try test.ask("POST", "/api/v1/tokens", as: phone, #"{"name":"tablet"}"#)
        #expect(refused.status == 403)
        #expect(try refused.json["required"] as? [String: String] == ["resource": "admin"])
    }
}
