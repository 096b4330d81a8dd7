/// A mistake in brokers.d. `description` is a line FILE:LINE: that says what would be right there.
public struct BrokerMistake: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// From 1; nil if it is about the whole file.
    public let line: Int?
    public let text: String

    public init(_ text: String, file: String, line: Int? = nil) {
        (self.text, self.file, self.line) = (text, file, line)
    }

    public var description: String { "\(file):" + (line.map { "\($0):" } ?? "") + " \(text)" }
}

/// Why a value in a broker's file is invalid, without its line.
struct UnfitValue: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
