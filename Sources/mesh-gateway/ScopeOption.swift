import Routes
import Terminal

/// Reads `--scope` and gives advice about it.
enum ScopeOption {
    static let help = """
        What it may do; may be repeated. read, send, admin, or RESOURCE:ACTION such as nodes:read. Without any: read \
        and send.
        """

    /// - Parameters:
    ///   - name: the token's, for the command that would have been right.
    ///   - command: which that is.
    ///   - option: what stands before each scope in it.
    static func scopes(
        _ words: [String], for name: String, command: String = "create", option: String = "--scope "
    ) throws -> Scopes {
        do throws(Scopes.Unknown) {
            return try Scopes(parsing: words)
        } catch {
            let nearest = nearestScope(to: error.scope)
            let advice = words.map { option + ($0 == error.scope ? nearest : $0) }.joined(separator: " ")
            throw failure(
                "there is no scope \"\(error.scope)\"; did you mean: mesh-gateway token \(command) "
                    + "\(quoted(name)) \(advice)",
                .usage)
        }
    }

    /// The scope that somebody meant. A word that gets the resource right means it, whatever the action.
    private static func nearestScope(to scope: String) -> String {
        let resource = scope.split(separator: ":").first.map(String.init) ?? scope
        let sameResource = Scopes.known.filter { $0.hasPrefix(resource + ":") }
        let candidates = sameResource.isEmpty ? Scopes.known : sameResource
        return nearest(to: scope, among: candidates) ?? "read"
    }

    /// As a shell takes it for one word.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isPlain && !word.isEmpty
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
