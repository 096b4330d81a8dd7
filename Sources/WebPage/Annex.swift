import CWebPage
import Routes

/// A script of the page with some of its views, their texts and their styles, which it fetches when one is opened. Its path
/// has its digest: what is under one path never changes, and a browser keeps it for as long as it likes.
struct Annex: Sendable {
    let path: String
    /// As a policy names it.
    let digest: String
    let document: EmbeddedDocument

    static let all = sequence(state: 0) { place -> Annex? in
        defer { place += 1 }
        return web_page_annex(place).map { Annex($0.pointee) }
    }.map(\.self)

    private init(_ annex: web_page_annex) {
        path = String(cString: annex.path)
        digest = String(cString: annex.digest)
        document = EmbeddedDocument(
            plain: annex.plain.content, packed: annex.packed.content, type: "text/javascript; charset=utf-8",
            policy: "default-src 'none'",
            headers: [(name: "Cache-Control", value: "public, max-age=31536000, immutable")])
    }
}
