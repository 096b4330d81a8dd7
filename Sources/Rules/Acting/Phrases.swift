import Folders
import Search

/// The phrases of a rule, such as `weather {city}`. A text must be one of them as a whole.
struct Phrases: Hashable, Sendable {
    private var patterns: [Pattern] = []

    private static let most = 16
    private static let mostNames = 8

    var isEmpty: Bool { patterns.isEmpty }

    /// What templates can be filled with besides.
    var names: Set<String> { Set(patterns.flatMap(\.names)) }

    mutating func add(_ text: String) throws(BadValue) {
        guard patterns.count < Self.most else {
            throw BadValue("a rule has at most \(Self.most) phrases; make two rules of it")
        }
        let pattern: Pattern
        do throws(PatternMistake) { pattern = try Pattern(phrase: text) } catch {
            throw BadValue("phrase, at character \(error.place): \(error.text)")
        }
        guard pattern.names.count <= Self.mostNames else {
            throw BadValue(
                "phrase has \(pattern.names.count) names; at most \(Self.mostNames) can be, and the last one takes several "
                    + "words")
        }
        for name in pattern.names { try Self.check(name) }
        patterns.append(pattern)
    }

    private static func check(_ name: String) throws(BadValue) {
        let bytes = Array(name.utf8)
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        guard bytes.count <= 16, isLetter(bytes[0]),
            bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") })
        else {
            throw BadValue(
                "phrase has the name \"\(name)\"; a name has at most 16 of a-z, 0-9 and _, and begins with a letter")
        }
        guard TemplateName(name) == nil else {
            throw BadValue(
                "phrase has the name \"\(name)\", which texts have already for something else; call it otherwise")
        }
    }

    /// What the first phrase that fits found for its names; nil if none fits.
    func found(in text: PatternText) -> [String: String]? {
        for pattern in patterns {
            if let match = pattern.match(in: text) { return match.groups }
        }
        return nil
    }
}
