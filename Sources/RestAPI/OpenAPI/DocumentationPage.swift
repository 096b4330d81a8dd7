import CWebPage
import Routes

/// The page that shows the OpenAPI document. `deploy/page` makes it of `documentation.html` in Sources/WebPage.
enum DocumentationPage {
    static let document = EmbeddedDocument(
        plain: content(of: web_page_documentation.plain), packed: content(of: web_page_documentation.packed),
        policy: policy)

    /// What the page may do: run its own script, use its own style, and ask this server. Texts on it come from
    /// strangers, so no other script runs even if one of them got into the page as markup, and no text can become one.
    private static let policy =
        "default-src 'none'; script-src '\(String(cString: web_page_documentation.script_digest))'; "
        + "style-src '\(String(cString: web_page_documentation.style_digest))'; connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    private static func content(of file: web_page_file) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: file.bytes, count: file.count)
    }
}
