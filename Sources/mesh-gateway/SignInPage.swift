import Configuration
import JSON
import Platform
import QRCodes
import Routes
import Terminal

// Where a command's link to the page leads: the command has no request that says how people reach the box.

extension SignInLink {
    /// - Parameters:
    ///   - url: as somebody has said it; nil: as the daemon says it, which may go by other settings than this command.
    ///   - settings: for when no daemon runs.
    init(url: String?, _ settings: Configuration) throws {
        let found = try url ?? Reach.daemon(settings).flatMap { Self.page($0) } ?? Self.page(settings)
        guard let page = found else {
            throw failure("no port of this machine serves the page; say where it is: --url https://HOST", .usage)
        }
        guard let link = SignInLink(page: page) else {
            throw failure(
                "--url cannot be \"\(page)\"; it is http://HOST:PORT or https://HOST, with a path if there is one.",
                .usage)
        }
        self = link
    }

    private static func page(_ settings: Configuration) -> String? {
        let scheme = settings.certificate == nil ? "http" : "https"
        for case .tcp(let host, let port) in settings.listen {
            let host = host.contains(":") ? "[\(host)]" : host
            return "\(scheme)://\(reachable(host)):\(port)\(settings.basePath.path)"
        }
        return nil
    }

    /// Where the daemon serves: with the real port, also of `:0` and of sockets that systemd opened.
    private static func page(_ daemon: LocalClient) -> String? {
        guard let listeners = JSONValue((try? daemon.request("GET", "/local/daemon"))?.body ?? [])?["listeners"]?.array,
            let settings = JSONValue((try? daemon.request("GET", "/local/configuration"))?.body ?? [])?["settings"]?
                .array
        else { return nil }
        let base = settings.first { $0["key"]?.string == "base-path" }?["values"]?.array?.first?.string ?? ""
        let addresses = listeners.compactMap(\.string).filter { !$0.hasPrefix("unix:") }
        // One for everybody rather than that of this machine alone.
        guard
            let url = (addresses.first { !isLoopback($0) } ?? addresses.first).map({ servedURLs([$0], base: base)[0] }),
            let scheme = url.firstIndex(of: "/").map({ url[...url.index(after: $0)] })
        else { return nil }
        let authority = url.dropFirst(scheme.count).prefix { $0 != "/" }
        guard let colon = authority.lastIndex(of: ":") else { return nil }
        return "\(scheme)\(reachable(String(authority[..<colon])))\(url[colon...])"
    }

    private static func isLoopback(_ address: String) -> Bool {
        let host = address.hasPrefix("https://") ? address.dropFirst(8) : address[...]
        return host.hasPrefix("127.") || host.hasPrefix("[::1]")
    }

    /// - Parameter host: an IPv6 address in brackets.
    private static func reachable(_ host: String) -> String {
        ["", "0.0.0.0", "[::]"].contains(host) ? hostAddress() ?? "localhost" : host
    }

    /// As a QR code where it fits, with the link below it.
    func drawn(for token: String, isColoured: Bool, width: Int?) -> String {
        let text = text(for: token)
        guard let code = QRCode(text), width.map({ $0 >= code.columns }) ?? true else { return text + "\n" }
        return code.text(isColoured ? .colours : .onDark) + text + "\n"
    }
}
