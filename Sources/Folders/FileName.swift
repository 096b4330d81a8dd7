/// The name of a rule, a target or a broker: that of its file without `.conf`, which people type in commands.
public struct FileName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Returns: nil for anything else than 1 to 64 characters of a-z, 0-9 and -.
    public init?(_ text: some StringProtocol) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
        else { return nil }
        description = String(text)
    }

    public static func isFit(_ text: some StringProtocol) -> Bool { FileName(text) != nil }
}
