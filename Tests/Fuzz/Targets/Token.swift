import Glibc
import RestAPI
import Routes
import Store

/// The text of an `Authorization` header, and of a token's scopes.
final class Token: FuzzTarget {
    private let store: Store
    private let tokens: TokenCheck
    private let known: APIToken

    init(folder: String) throws {
        store = try Store(path: "\(folder)/tokens.db")
        known = try TokenRegister(store: store).create(name: "fuzz")
        tokens = TokenCheck(store: store)
    }

    deinit { store.close() }

    func run(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        if let token = APIToken(text) {
            try check(token.text == text && Self.hasForm(input), "\(text) passes for a token")
            try check(text.hasPrefix(token.prefix) && token.hash == APIToken(text)?.hash, "\(text) is not one token")
        }
        // Nearly the known one: the input is what is different. libFuzzer sees comparisons, and finds it out entirely, too.
        let good = "Bearer \(known.text)"
        let near = zip(Array(good.utf8), input).map { $0 ^ $1 } + input.dropFirst(good.utf8.count)
        for header in [text, String(decoding: near, as: UTF8.self)] {
            let isValid = tokens.isValid(authorization: header, now: 1_787_300_000_000)
            try check(isValid == header.utf8.elementsEqual(good.utf8), "\(header) is judged wrongly")
        }
        let words = text.split(separator: " ", maxSplits: 4).map(String.init)
        if let scopes = try? Scopes(parsing: words) {
            try check((try? Scopes(parsing: scopes.list)) == scopes, "\(words) is not \(scopes.list)")
        }
    }

    private static func hasForm(_ bytes: [UInt8]) -> Bool {
        let digits = Set("0123456789abcdef".utf8)
        return bytes.count == 38 && bytes.starts(with: "mm_v1_".utf8) && bytes[6...].allSatisfy { digits.contains($0) }
    }
}
