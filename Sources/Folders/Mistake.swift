/// A mistake in a file that somebody wrote. `description` begins with FILE:LINE: and says what would be right there.
public struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// From 1 on; nil if it is about the whole file, or about a folder.
    public let line: Int?
    public let text: String

    public init(_ text: String, file: String, line: Int? = nil) {
        (self.text, self.file, self.line) = (text, file, line)
    }

    public var description: String { "\(file):" + (line.map { "\($0):" } ?? "") + " \(text)" }
}

/// Why a value is wrong, without file and line.
public struct BadValue: Error {
    public let text: String

    public init(_ text: String) { self.text = text }
}
