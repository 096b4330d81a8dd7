import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct ATokensNameIsShortAndPrintable {
    @Test(arguments: ["p", " phone ", String(repeating: "n", count: 64), String(repeating: "é", count: 64)])
    func theseAre(_ name: String) throws {
        let test = try TestGateway()
        _ = try TokenRegister(store: test.store).create(name: name)
        #expect(try test.store.read { try $0.tokens() }.map(\.name) == ["test", name.trimmed])
    }

    @Test(arguments: ["", " ", String(repeating: "n", count: 65), "a\nb", "a\tb", "a\r\nb", "a\u{7}"])
    func theseAreNot(_ name: String) throws {
        let test = try TestGateway()
        let refusal = #expect(throws: TokenRegister.Refusal.self) {
            try TokenRegister(store: test.store).create(name: name)
        }
        #expect("\(try #require(refusal))" == "a token needs a name of 1 to 64 printable characters")
    }

    @Test func norIsOneThatIsTaken() throws {
        let test = try TestGateway()
        let register = TokenRegister(store: test.store)
        let refusal = #expect(throws: TokenRegister.Refusal.self) { try register.create(name: "test") }
        #expect("\(try #require(refusal))" == "\(StoreError.nameTaken("test"))")
        let form = #expect(throws: TokenRegister.Refusal.self) { try register.create(name: "old", taken: "secret") }
        #expect("\(try #require(form))".hasPrefix("a token is"))
    }
}
