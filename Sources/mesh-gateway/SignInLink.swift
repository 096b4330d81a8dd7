import Configuration
import Platform
import QRCodes
import Terminal

/// Links that open the page and bring a token, for phones that scan them. The token stands behind `#`: what stands there is
/// never sent, and gets into no log.
struct SignInLink {
    /// Where the page is.
    private let page: String

    /// - Parameter url: as somebody has said it; nil: as the settings have it.
    init(url: String?, _ settings: Configuration) throws {
        guard let page = url ?? Self.page(settings) else {
            throw failure("no port of this machine serves the page; say where it is: --url https://HOST", .usage)
        }
        guard page.hasPrefix("http://") || page.hasPrefix("https://"), !page.contains("#") else {
            throw failure(
                "--url cannot be \"\(page)\"; it is http://HOST:PORT or https://HOST, with a path if there is one.",
                .usage)
        }
        self.page = page.hasSuffix("/") ? page : page + "/"
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
    func drawn(for token: String, isColoured: Bool, width: Int?) -> String {
        let text = "\(page)#token=\(token)"
        guard let code = QRCode(text), width.map({ $0 >= code.columns }) ?? true else { return text + "\n" }
        return code.text(isColoured ? .colours : .onDark) + text + "\n"
    }
}
