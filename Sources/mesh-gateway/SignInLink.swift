import Configuration
import Platform
import QRCodes
import Terminal

/// A link that opens the page and brings a token, for phones that scan it. The token stands behind `#`: what stands there
/// is never sent, and gets into no log.
struct SignInLink {
    let text: String

    /// - Parameter url: where the page is, as somebody has said it; nil: as the settings have it.
    init(token: String, url: String?, _ settings: Configuration) throws {
        let page = url ?? Self.page(settings)
        guard let page, page.hasPrefix("http://") || page.hasPrefix("https://"), !page.contains("#") else {
            throw failure(
                url == nil
                    ? "no port of this machine serves the page; say where it is: --url https://HOST"
                    : "--url cannot be \"\(url!)\"; it is http://HOST:PORT or https://HOST, with a path if there is one.",
                .usage)
        }
        text = "\(page.hasSuffix("/") ? page : page + "/")#token=\(token)"
    }

    private static func page(_ settings: Configuration) -> String? {
        let scheme = settings.certificate == nil ? "http" : "https"
        for case .tcp(let host, let port) in settings.listen {
            let isEverywhere = ["", "0.0.0.0", "::"].contains(host)
            let shown = isEverywhere ? hostAddress() ?? "localhost" : host.contains(":") ? "[\(host)]" : host
            return "\(scheme)://\(shown):\(port)\(settings.basePath.path)"
        }
        return nil
    }

    /// As a QR code where it fits, with the link below it.
    func drawn(isColoured: Bool, width: Int?) -> String {
        guard let code = QRCode(text), width.map({ $0 >= code.columns }) ?? true else { return text + "\n" }
        return code.text(isColoured ? .colours : .onDark) + text + "\n"
    }
}
