import Glibc
import MeshModel

/// A port where programs of Meshtastic find the radio as if it were theirs, and what they may do there.
///
///     ADDRESS:PORT[/RIGHT][/close][@SOURCE]      127.0.0.1:4403    [::1]:4403/admin    *:4404/send/close@Attic
public struct ShareSetting: Sendable, Equatable, CustomStringConvertible {
    /// A numeric IP address; empty: all addresses, IPv4 and IPv6.
    public let address: String
    /// 0: the kernel chooses.
    public let port: UInt16
    public let right: ClientRight
    /// When settings have changed its clients are disconnected, as at a radio's own port. They are told otherwise.
    public let closes: Bool
    /// The source's name or its UUID; nil: of the only radio.
    public let source: String?

    static let allowed =
        "ADDRESS:PORT, [IPv6]:PORT or *:PORT, then /read, /send or /admin if it is not /send, then /close if connections "
        + "end when settings change, then @SOURCE if there are several radios"

    /// - Returns: nil for anything else than what ``allowed`` says. A host's name is none: which of its addresses is meant
    ///   could change by itself, and with it who may connect.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard let (host, number) = splitHostAndPort(place[0]), let number, !host.isEmpty,
            host == "*" || Self.isNumeric(host)
        else { return nil }
        (address, port) = (host == "*" ? "" : host, number)
        closes = place.count > 1 && place.last == "close"
        let rights = place.dropFirst().dropLast(closes ? 1 : 0)
        guard rights.count <= 1, let right = rights.isEmpty ? .send : ClientRight(rawValue: String(rights[1])) else {
            return nil
        }
        self.right = right
        source = parts.count == 2 ? String(parts[1]) : nil
        if let source, source.isEmpty || source.hasPrefix(" ") { return nil }
    }

    public var description: String {
        let host = address.isEmpty ? "*" : address.contains(":") ? "[\(address)]" : address
        return "\(host):\(port)/\(right.rawValue)" + (closes ? "/close" : "") + (source.map { "@\($0)" } ?? "")
    }

    /// Only this computer can connect.
    public var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    /// One of them would find the port taken by the other.
    func isSamePort(as other: ShareSetting) -> Bool {
        port == other.port && port != 0 && (address == other.address || address.isEmpty || other.address.isEmpty)
    }

    /// What other lines leave of this one: the same port with the lesser right; nil: they do not have it.
    public func narrowed(to lines: [ShareSetting]) -> ShareSetting? {
        let rights = lines.filter { $0.address == address && $0.port == port && $0.source == source }.map(\.right)
        guard let most = rights.max() else { return nil }
        return ShareSetting(address, port, min(right, most), closes, source)
    }

    private init(_ address: String, _ port: UInt16, _ right: ClientRight, _ closes: Bool, _ source: String?) {
        (self.address, self.port, self.right, self.closes, self.source) = (address, port, right, closes, source)
    }

    /// inet_pton(3).
    private static func isNumeric(_ host: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(host.contains(":") ? AF_INET6 : AF_INET, host, &bytes) == 1
    }
}
