/// A URL to which something is sent. Everything after its host is a secret, as the name of a topic is at ntfy; so is a name with a
/// password before it.
public struct WebAddress: Hashable, Sendable {
    public enum Scheme: String, Sendable { case http, https, socks5h }

    public let scheme: Scheme
    /// `NAME:PASSWORD`, if there is one.
    let login: String?
    /// A name or an IP address; IPv6 in square brackets.
    public let host: String
    public let port: UInt16
    /// Path and query, such as `/notify/key?a=b`; begins with a slash.
    let rest: String

    /// Why a text is not such an address, in words that reveal only its host.
    public struct Refusal: Error, Hashable, Sendable {
        public let text: String
        init(_ text: String) { self.text = text }
    }

    public init(_ text: String, schemes: [Scheme] = [.http, .https]) throws(Refusal) {
        guard text.utf8.count <= 2_000 else { throw Refusal("it is longer than 2000 bytes; write a shorter one") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.unsafe.contains($0) }) else {
            throw Refusal(
                "it has a blank, a quotation mark or another character that a URL does not have; write it with percent signs, "
                    + "such as %20")
        }
        let names = schemes.map { "\($0.rawValue)://" }
        guard let start = names.firstIndex(where: { text.lowercased().hasPrefix($0) }) else {
            throw Refusal(
                "it begins with none of \(names.joined(separator: ", ")); write for example: https://HOST/PATH")
        }
        scheme = schemes[start]
        let behind = text.dropFirst(names[start].count)
        let end = behind.firstIndex { "/?#".contains($0) } ?? behind.endIndex
        guard !behind.contains("#") else { throw Refusal("it has a #, which no server gets to see; leave it out") }
        let path = String(behind[end...])
        rest = path.hasPrefix("/") ? path : "/" + path
        var place = behind[..<end]
        if let at = place.lastIndex(of: "@") {
            login = String(place[..<at])
            place = place[place.index(after: at)...]
        } else {
            login = nil
        }
        let closing = place.lastIndex(of: "]")
        let colon = place.lastIndex(of: ":").flatMap { colon in closing.map { $0 < colon } ?? true ? colon : nil }
        host = place[..<(colon ?? place.endIndex)].lowercased()
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let isHost =
            isBracketed
            ? host.utf8.dropFirst().dropLast().allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
            : host.utf8.allSatisfy { Self.ofNames.contains($0) }
        guard isHost, !host.isEmpty, !isBracketed || host.utf8.count > 2, host.utf8.count <= 253 else {
            throw Refusal(
                "its host is none; write a name such as ntfy.sh, or an address such as 192.0.2.7 or [2001:db8::7]")
        }
        let standard: UInt16 =
            switch scheme {
            case .http: 80
            case .https: 443
            case .socks5h: 1080
            }
        guard let colon else {
            port = standard
            return
        }
        guard let number = UInt16(place[place.index(after: colon)...]), number > 0 else {
            throw Refusal("its port is no number from 1 to 65535")
        }
        port = number
    }

    private init(_ other: WebAddress, rest: String) {
        (scheme, login, host, port) = (other.scheme, other.login, other.host, other.port)
        self.rest = rest
    }

    /// The same host with another path.
    func with(path: String) -> WebAddress { WebAddress(self, rest: path) }

    /// The path without the query.
    var path: String { String(rest.prefix { $0 != "?" }) }
    var query: String { String(rest.dropFirst(path.count)) }

    private var authority: String {
        let isStandard =
            switch scheme {
            case .http: port == 80
            case .https: port == 443
            case .socks5h: port == 1080
            }
        return host + (isStandard ? "" : ":\(port)")
    }

    /// As RFC 6454 writes it (section 6.2).
    var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// Includes its secrets.
    var text: String { "\(scheme.rawValue)://" + (login.map { "\($0)@" } ?? "") + authority + rest }

    /// For a proxy, always with the port: without one curl takes 1080, whatever the scheme.
    var textWithPort: String { "\(scheme.rawValue)://" + (login.map { "\($0)@" } ?? "") + "\(host):\(port)" }

    /// For people: without its secrets.
    public var shown: String { "\(scheme.rawValue)://\(authority)" + (rest == "/" && login == nil ? "/" : "/...") }

    /// Characters that mean something in a configuration file, a shell or a header.
    private static let unsafe = Set("\"'\\<>^`{|}".utf8)
    private static let ofNames = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
}
