import Glibc

/// How a text is set off on a terminal (ECMA-48 SGR).
public enum Style: Sendable {
    case plain, bold, dim, red, green, yellow

    /// The text in this style. Give it a text that is `printable`, and only where `isColourWanted`.
    public func applied(to text: String) -> String {
        let code =
            switch self {
            case .plain: ""
            case .bold: "1"
            case .dim: "2"
            case .red: "31"
            case .green: "32"
            case .yellow: "33"
            }
        return code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// Whether the descriptor is a terminal (isatty).
public func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Whether to use styles: on a terminal that can, unless NO_COLOR is set (no-color.org).
public func isColourWanted(on descriptor: Int32, environment: [String: String]) -> Bool {
    isTerminal(descriptor) && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
}
