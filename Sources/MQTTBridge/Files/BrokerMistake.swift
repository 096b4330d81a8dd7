/// What keeps a broker out of force. `description` is a line FILE:LINE: that says what would be right there.
public struct BrokerMistake: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// From 1 on; nil: it is about the whole file.
    public let line: Int?
    public let text: String

    public init(_ text: String, file: String, line: Int? = nil) {
        (self.text, self.file, self.line) = (text, file, line)
    }

    public var description: String { "\(file):" + (line.map { "\($0):" } ?? "") + " \(text)" }
}

/// Why a value of a broker's file cannot be, without its place.
struct UnfitValue: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
