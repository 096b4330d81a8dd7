import Foundation

/// Texts that tests compare with, many in one file. Each stands below a line `== NAME`, byte for byte; the newline before
/// the next such line belongs to no text. So a text that ends with a newline is followed by an empty line, and one that does
/// not is not.
public struct Sections: Equatable, Sendable {
    /// By their names.
    public var texts: [String: String]

    public enum Flaw: Error, Equatable {
        /// The file begins with something else than a section.
        case noName
        case twice(String)
        /// A name of more than one line, or a line in a text that would begin a section.
        case ambiguous(String)
    }

    public init(_ texts: [String: String]) { self.texts = texts }

    public init(contentsOf file: URL) throws { try self.init(parsing: String(contentsOf: file, encoding: .utf8)) }

    /// By bytes: a carriage return and a newline are one character.
    public init(parsing text: String) throws {
        texts = [:]
        var (name, lines) = (String?.none, [Substring.UTF8View]())
        func take() throws {
            guard let name else { return }
            let text = String(decoding: Array(lines.joined(separator: [newline])), as: UTF8.self)
            guard texts.updateValue(text, forKey: name) == nil else { throw Flaw.twice(name) }
        }
        for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) where !text.isEmpty {
            if line.starts(with: mark) {
                try take()
                (name, lines) = (String(decoding: line.dropFirst(mark.count), as: UTF8.self), [])
            } else {
                guard name != nil else { throw Flaw.noName }
                lines.append(line)
            }
        }
        try take()
    }

    /// The file, in the order of the names.
    public var text: String {
        get throws {
            try texts.sorted { $0.key < $1.key }.map { name, text in
                let lines = text.utf8.split(separator: newline)
                guard !name.utf8.contains(newline), !lines.contains(where: { $0.starts(with: mark) }) else {
                    throw Flaw.ambiguous(name)
                }
                return "== \(name)\n\(text)"
            }.joined(separator: "\n")
        }
    }

    public func write(to file: URL) throws { try text.write(to: file, atomically: true, encoding: .utf8) }

    /// Where a text differs from the one of that name; nil when it does not.
    public func difference(of text: String, named name: String) -> String? {
        guard let expected = texts[name] else { return "\(name) is not there" }
        return firstDifference(text, expected).map { "\(name): \($0)" }
    }
}

/// The number of the first line that differs, and both. By bytes: to Swift two spellings of one letter are equal.
public func firstDifference(_ mine: String, _ expected: String) -> String? {
    let mine = mine.utf8.split(separator: newline, omittingEmptySubsequences: false)
    let expected = expected.utf8.split(separator: newline, omittingEmptySubsequences: false)
    for line in 0..<max(mine.count, expected.count) {
        let (found, wanted) = (line < mine.count ? mine[line] : nil, line < expected.count ? expected[line] : nil)
        if let found, let wanted, found.elementsEqual(wanted) { continue }
        let words = [found, wanted].map { $0.map { String(Substring($0)) } ?? "missing" }
        return "line \(line + 1) is\n\(words[0])\nand was\n\(words[1])"
    }
    return nil
}

private let newline = UInt8(ascii: "\n")
private let mark = Array("== ".utf8)
