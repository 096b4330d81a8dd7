import Search

// Values as texts that a file takes: read again they are the same.

extension Configuration {
    /// A value as it stands behind the = of a file's line: in quotation marks where it would be taken for something else.
    public static func written(_ value: String) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\u{FEFF}" }
        let isPlain =
            value.first.map { !isBlank($0) && $0 != "\"" && $0 != "#" } == true && value.last.map(isBlank) == false
            && !value.contains(" #") && !value.contains("\t#")
        if isPlain { return value }
        return "\"" + value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension ListenAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp("", let port): "*:\(port)"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .systemd: "systemd"
        }
    }
}

extension RequestLimit: CustomStringConvertible {
    public var description: String { count.map { "\($0)" } ?? "unlimited" }
}

extension KeepingTime: CustomStringConvertible {
    public var description: String {
        guard let hours else { return "forever" }
        return hours >= 48 && hours % 24 == 0 ? "\(hours / 24)d" : "\(hours)h"
    }
}

extension DatabaseSize: CustomStringConvertible {
    public var description: String {
        guard let bytes else { return "unlimited" }
        return bytes % 1_000_000_000 == 0 ? "\(bytes / 1_000_000_000) GB" : "\(bytes / 1_000_000) MB"
    }
}
