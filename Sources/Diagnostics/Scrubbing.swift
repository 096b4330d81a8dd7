import Search

// What may not be in a bug report, taken out of texts that people and programs have written.

/// The text without what looks like a token, a key, a password in an address, or a channel's share link.
public func scrubbed(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { scrubbed(line: $0) }.joined(separator: "\n")
}

/// The settings of a configuration file, comments left out; of what is no setting of ours only the name stays, because
/// nobody knows what it is.
///
/// - Parameter known: the names of settings, of which none is a secret.
public func scrubbed(configuration text: String, known: Set<String>) -> String {
    text.split(separator: "\n").compactMap { line -> String? in
        guard let sign = line.firstIndex(of: "="), line.first(where: { $0 != " " && $0 != "\t" }) != "#" else {
            return nil
        }
        let name = line[..<sign].filter { $0 != " " && $0 != "\t" }
        let value = line[line.index(after: sign)...]
        return "\(name) =" + (known.contains(String(name)) ? scrubbed(line: withoutComment(value)) : " (removed)")
    }
    .joined(separator: "\n") + "\n"
}

private func withoutComment(_ value: Substring) -> Substring {
    var before: Character = " "
    for index in value.indices {
        if value[index] == "#", before == " " || before == "\t" { return value[..<index] }
        before = value[index]
    }
    return value
}

/// Lines of a log without those that quote the radio's own log, in which texts of the mesh can be.
public func scrubbed(log text: String) -> String {
    let lines = text.split(separator: "\n").filter { line in
        ![" radio: ", " the radio says: "].contains { line.contains($0) }
    }
    return scrubbed(lines.joined(separator: "\n") + "\n")
}

private func scrubbed(line: Substring) -> String {
    var result = ""
    var rest = line[...]
    while let first = rest.first {
        let word = rest.prefix { isOfAWord($0) }
        guard !word.isEmpty else {
            result.append(first)
            rest = rest.dropFirst()
            continue
        }
        rest = rest[word.endIndex...]
        result += isSecret(word) ? "(removed)" : String(word)
        if word.hasSuffix("e/"), let next = rest.first, "#?".contains(next), result.hasSuffix("meshtastic.org/e/") {
            result += "\(next)(removed)"
            rest = rest.drop { $0 != " " && $0 != "\"" }
        }
    }
    return withoutPasswords(result)
}

private func isOfAWord(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "+/=_".contains(character))
}

/// A token of ours, 16 or 32 bytes and more in base 64 with their padding, or as many in hexadecimal digits.
private func isSecret(_ word: Substring) -> Bool {
    if word.hasPrefix("mm_v1_") { return true }
    if word.count >= 24, word.hasSuffix("=") { return true }
    let digits = word.drop { $0 != "x" }.dropFirst()
    return [word, digits].contains { $0.count >= 32 && $0.allSatisfy(\.isHexDigit) }
}

/// `//user:password@host` as `//(removed)@host`.
private func withoutPasswords(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let slashes = rest.firstRange(of: "//") {
        result += rest[..<slashes.upperBound]
        rest = rest[slashes.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != " " }
        if let at = authority.lastIndex(of: "@") {
            result += "(removed)"
            rest = rest[at...]
        }
    }
    return result + rest
}
