// The format of mesh-gateway.conf, and of the files in the folders beside it:
//
//   # a comment
//   device    = /dev/ttyUSB0        # a comment after a blank
//   name      = "Cabin # 2"         quoted where blanks or # matter; \" and \\ inside
//   listen    = 127.0.0.1:8080      may come more than once, as may device
//   listen    = [::1]:8080

import Glibc
import Platform

/// The lines of such a file as keys and values, with their places. What keys there are is for others to say.
public struct SettingLines: Sendable {
    public struct Line: Hashable, Sendable {
        public let key: String
        public let value: String
        /// From 1 on.
        public let number: Int
    }

    public let path: String
    public private(set) var lines: [Line] = []
    /// Lines that are neither a setting nor a comment.
    public private(set) var mistakes: [Mistake] = []

    /// No sane file is longer.
    private static let longest = 1 << 20

    /// - Returns: nil when the file does not exist and need not.
    public static func read(_ path: String, mustExist: Bool) throws(UnreadableFile) -> SettingLines? {
        guard let text = try text(of: path, mustExist: mustExist) else { return nil }
        return SettingLines(text, path: path)
    }

    /// - Parameter path: where the text is from.
    public init(_ text: String, path: String) {
        self.path = path
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(BadValue) {
                guard let (key, value) = try Self.split(line) else { continue }
                lines.append(Line(key: key, value: value, number: index + 1))
            } catch {
                mistakes.append(Mistake(error.text, file: path, line: index + 1))
            }
        }
    }

    private static func text(of path: String, mustExist: Bool) throws(UnreadableFile) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            if !mustExist, errno == ENOENT || errno == ENOTDIR { return nil }
            throw UnreadableFile(path: path, reason: errorText(errno))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= longest {
            var failure: Int32 = 0
            let count = bytes.count
            bytes.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                    let result = retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
                    failure = result < 0 ? errno : 0
                    filled = max(0, result)
                })
            if failure != 0 { throw UnreadableFile(path: path, reason: errorText(failure)) }
            if bytes.count == count { break }
        }
        guard bytes.count <= longest else { throw UnreadableFile(path: path, reason: "it is longer than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UnreadableFile(path: path, reason: "it is not UTF-8 text")
        }
        return text
    }

    /// Key and value of a line; nil for an empty line or a comment.
    private static func split(_ line: Substring) throws(BadValue) -> (String, String)? {
        let line = trimmed(line)
        if line.isEmpty || line.first == "#" { return nil }
        guard let sign = line.firstIndex(of: "=") else {
            throw BadValue("a line is KEY = VALUE or a comment after #")
        }
        let name = String(trimmed(line[..<sign]))
        let rest = trimmed(line[line.index(after: sign)...])
        guard rest.first == "\"" else { return (name, String(withoutComment(rest))) }
        guard let (value, after) = unquoted(rest.dropFirst()) else {
            throw BadValue("the quotation mark is not closed")
        }
        let remainder = trimmed(after)
        guard remainder.isEmpty || remainder.first == "#" else {
            throw BadValue("only a comment may follow a quoted value")
        }
        return (name, value)
    }

    /// The text up to the closing quotation mark, and what follows it.
    public static func unquoted(_ text: Substring) -> (String, Substring)? {
        var value = ""
        var rest = text
        while let character = rest.popFirst() {
            if character == "\"" { return (value, rest) }
            if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
                value.append(rest.removeFirst())
            } else {
                value.append(character)
            }
        }
        return nil
    }

    /// A # begins a comment only after a blank, so that a path or a name may hold one.
    private static func withoutComment(_ text: Substring) -> Substring {
        var isAfterBlank = true
        for index in text.indices {
            if text[index] == "#", isAfterBlank { return trimmed(text[..<index]) }
            isAfterBlank = text[index] == " " || text[index] == "\t"
        }
        return text
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\u{FEFF}" }
        let start = text.drop(while: isBlank)
        return start.last.map(isBlank) == true
            ? start[...(start.lastIndex { !isBlank($0) } ?? start.startIndex)] : start
    }
}

/// A file that cannot be read, or that is no text.
public struct UnreadableFile: Error, Hashable {
    public let path: String
    /// What the system says, or what the file is ("it is ...").
    public let reason: String
}
