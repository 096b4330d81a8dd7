@testable import Pages

/// How a file marks its comments.
struct CommentMarks {
    /// What makes the rest of a line a comment; nil: nothing does.
    let line: String?
    /// What lines of comments stand between.
    let block: (begin: String, end: String)?

    /// Nil when it is not known of files with this ending.
    init?(of path: String) {
        switch path.split(separator: ".").last {
        case "swift": (line, block) = ("//", nil)
        case "c", "h", "js", "proto": (line, block) = ("//", ("/*", "*/"))
        case "css": (line, block) = (nil, ("/*", "*/"))
        case "py": (line, block) = ("#", ("\"\"\"", "\"\"\""))
        case "sh", "conf", "service", "rules", "yml": (line, block) = ("#", nil)
        default: return nil
        }
    }

    private init(line: String) { (self.line, block) = (line, nil) }

    /// Of a program without an ending: a shell's or Python's.
    static let ofPrograms = Self(line: "#")
}

/// The words of a comment, or of a page, with the numbers of their lines: what is broken over lines is one sentence.
struct CommentWords {
    typealias Word = (line: Int, text: Substring)

    let path: String
    let isPage: Bool
    let words: [Word]

    /// Every comment of the files of a tree, and every page below the folders with code.
    static func all(of tree: SourceTree) -> [CommentWords] {
        tree.texts.sorted { $0.key < $1.key }.flatMap { path, text -> [CommentWords] in
            guard ["Sources/", "Tests/", "Proto/", "deploy/"].contains(where: path.hasPrefix) else { return [] }
            if path.hasSuffix(".md") {
                let lines = Page(path: path, text: text).prose.map { ($0.number, $0.text[...]) }
                return [CommentWords(path: path, isPage: true, words: words(of: lines))]
            }
            guard let marks = CommentMarks(of: path) ?? (text.hasPrefix("#!") ? .ofPrograms : nil) else { return [] }
            return comments(in: text, marks).map {
                CommentWords(path: path, isPage: false, words: words(of: $0))
            }
        }
    }

    private static func words(of lines: [(Int, Substring)]) -> [Word] {
        lines.flatMap { number, text in
            text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { (number, Substring($0)) }
        }
    }

    /// Lines of comments that follow each other, without their marks.
    private static func comments(in text: String, _ marks: CommentMarks) -> [[(Int, Substring)]] {
        var comments: [[(Int, Substring)]] = []
        var current: [(Int, Substring)] = []
        var isInBlock = false
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let comment = comment(in: Substring(line), marks, &isInBlock) else {
                if !current.isEmpty { comments.append(current) }
                current = []
                continue
            }
            current.append((index + 1, comment))
        }
        return current.isEmpty ? comments : comments + [current]
    }

    private static func comment(in line: Substring, _ marks: CommentMarks, _ isInBlock: inout Bool) -> Substring? {
        if isInBlock {
            if let end = marks.block?.end, line.contains(end) { isInBlock = false }
            return line.drop { " \t*".contains($0) }
        }
        if let block = marks.block, let begin = line.firstRange(of: block.begin) {
            let rest = line[begin.upperBound...]
            isInBlock = !rest.contains(block.end)
            return rest.drop { " *".contains($0) }
        }
        guard let mark = marks.line, let first = mark.utf8.first, line.utf8.contains(first),
            let begin = line.firstRange(of: mark)
        else { return nil }
        return line[begin.upperBound...].drop { "/#".contains($0) }
    }
}
