import CWebPage
import Routes

/// The page at `/`: one document, whose style and script are in it. `deploy/page` makes it of the files in this folder.
///
/// Views that are not the first screen are in its annexes (`Annex`). It holds nothing of the mesh: what it shows it asks for with the token of the person who uses it.
enum WebPage {
    static let document = EmbeddedDocument(
        plain: web_page.plain.content, packed: web_page.packed.content, policy: policy,
        headers: [
            (name: "Cache-Control", value: "no-cache"),
            (name: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=()"),
        ])

    /// What the page may do: run its own script and its annexes, use its own style, and ask this server. Texts on it come
    /// from strangers, so no other script runs even if one of them got into the page as markup, and no text can become
    /// one but by the policy `annex`, whose texts have to be of these digests, too. A worker comes from this server alone,
    /// by the one policy `sw` that makes its address.
    private static let policy =
        "default-src 'none'; script-src \(scripts.map { "'\($0)'" }.joined(separator: " ")); "
        + "style-src '\(String(cString: web_page.style_digest))'; "
        + "connect-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sw annex"

    /// The service worker, which shows what is pushed to a browser that was registered on the page. It fetches nothing but the
    /// picture of a notification. A browser asks for it anew when a page is opened, so that an upgrade replaces it.
    static let worker = EmbeddedDocument(
        plain: web_page_worker.plain.content, packed: web_page_worker.packed.content,
        type: "text/javascript; charset=utf-8", policy: "default-src 'none'; img-src 'self'",
        headers: [(name: "Cache-Control", value: "no-cache")])

    /// The digests of its own script and of those that it fetches.
    private static let scripts =
        [String(cString: web_page.script_digest)] + Annex.all.map(\.digest)
}

extension web_page_file {
    var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }
}
