import MeshModel
import Testing

@testable import Pages

/// Whoever reads the name of a problem in `mesh-gateway status` finds it in TROUBLESHOOTING.md, as README.md promises.
@Suite struct EveryProblemIsOnThePage {
    private static let path = "deploy/TROUBLESHOOTING.md"

    @Test func ofThoseThatAreDeclared() throws {
        let named = Self.named(in: try SourceTree.ofThisRepository())
        let missing = Problem.Kind.allCases.map(\.rawValue).filter { !named.contains($0) }
        #expect(missing == [], "\(Self.path) has no row for these")
    }

    @Test func oneWithoutARowIsFound() {
        let tree = SourceTree(paths: [], texts: [Self.path: "| `no-radio` | why | what |\n"])
        #expect(Self.named(in: tree) == ["no-radio"])
    }

    /// What the first columns of the page's tables name.
    private static func named(in tree: SourceTree) -> Set<String> {
        let page = Page(path: path, text: tree.texts[path] ?? "")
        let cells = page.prose.compactMap { Page.cells(of: $0.text)?.first }
        return Set(cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
    }
}
