import CWebPage
import Nettle
import Routes

/// The page at `/`, put together of the files in this folder: one document, whose style and script are in it.
///
/// It holds nothing of the mesh: what it shows it asks for with the token of whoever uses it.
enum WebPage {
    /// Put together anew for each answer, so that 150 kB stay in memory only while they are sent.
    static var document: [UInt8] {
        var page = bytes(of: WEB_PAGE_HEAD)
        page.reserveCapacity(page.count + size)
        page += "<style>".utf8
        page += bytes(of: WEB_PAGE_STYLE)
        page += "</style>\n".utf8
        page += bytes(of: WEB_PAGE_BODY)
        page += "<script type=\"module\">".utf8
        page += bytes(of: WEB_PAGE_SCRIPT)
        page += "</script>\n</body>\n</html>\n".utf8
        return page
    }

    static let tag = EntityTag(of: document).text

    /// What the page may do: run its own script, use its own style, and ask this server. Texts on it come from strangers,
    /// so no other script runs even if one of them got into the page as markup, and no text can become one. A worker
    /// comes from this server alone, by the one policy `sw` that makes its address.
    static let policy =
        "default-src 'none'; script-src '\(digest(WEB_PAGE_SCRIPT))'; style-src '\(digest(WEB_PAGE_STYLE))'; "
        + "connect-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sw"

    /// Room for everything but the head.
    private static let size = [WEB_PAGE_STYLE, WEB_PAGE_BODY, WEB_PAGE_SCRIPT].reduce(256) { $0 + bytes(of: $1).count }

    /// As a policy names a text: its SHA-256.
    private static func digest(_ part: web_page_part) -> String {
        "sha256-" + Base64.encoded(SHA256.digest(of: bytes(of: part)))
    }

    /// A part as it is sent: without indentation, and without comments, which are a tenth of it. In a script a break
    /// behind an open bracket, a comma or a semicolon says nothing, and neither does one before closing brackets: short
    /// lines stand behind each other.
    private static func bytes(of part: web_page_part) -> [UInt8] {
        var all: [UInt8] = []
        var width = 0
        var file = web_page_files(part)!
        while file.pointee.count > 0 {
            for line in file.pointee.content.split(separator: UInt8(ascii: "\n")) {
                let line = line.drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
                guard let first = line.first else { continue }
                if part == WEB_PAGE_SCRIPT {
                    if isComment(line) { continue }
                    let closes = line.allSatisfy { "})];,".utf8.contains($0) }
                    let isOpen = all.count > 1 && "{([,;".utf8.contains(all[all.count - 2])
                    width += line.count
                    if !all.isEmpty, closes || isOpen && width < longestLine {
                        all.removeLast()
                        // The semicolon before it says nothing, either.
                        if closes, first == UInt8(ascii: "}"), all.last == UInt8(ascii: ";") { all.removeLast() }
                    } else {
                        width = line.count
                    }
                }
                all += line
                all.append(UInt8(ascii: "\n"))
            }
            file += 1
        }
        return all
    }

    /// In bytes. Source lines may be longer.
    private static let longestLine = 400

    /// Lines that are nothing else. What they say is for those who have the files.
    private static func isComment(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        line.starts(with: "//".utf8) || line.starts(with: "/*".utf8) || line.starts(with: "*".utf8)
    }
}

extension web_page_file {
    var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }
}
