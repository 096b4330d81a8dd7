import Glibc

/// How many cells a line of the terminal behind a descriptor has (TIOCGWINSZ); nil when it is no terminal.
///
/// `COLUMNS` counts where the terminal does not tell, and for output that is no terminal, so that a script can ask for
/// a width.
public func screenWidth(of descriptor: Int32, environment: [String: String]) -> Int? {
    var size = winsize()
    if isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
        return Int(size.ws_col)
    }
    return environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        ?? (isTerminal(descriptor) ? 80 : nil)
}

/// A text in lines of at most so many cells, broken at blanks; a word that is longer is cut.
public func wrapped(_ text: String, to width: Int?) -> [String] {
    guard let width, displayWidth(text) > width else { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
        var word = String(word)
        if !line.isEmpty, displayWidth(line) + 1 + displayWidth(word) <= width {
            line += " " + word
            continue
        }
        if !line.isEmpty { lines.append(line) }
        while displayWidth(word) > width, width > 1 {
            let head = prefix(of: word, width: width)
            lines.append(head)
            word = String(word.dropFirst(head.count))
        }
        line = word
    }
    lines.append(line)
    return lines
}

/// The beginning of a text that takes at most so many cells, one character at least.
func prefix(of text: String, width: Int) -> String {
    var kept = ""
    var taken = 0
    for character in text {
        taken += displayWidth(character)
        if taken > width, !kept.isEmpty { break }
        kept.append(character)
    }
    return kept
}

/// A text of at most so many cells: what is longer ends in "…".
public func cut(_ text: String, to width: Int?) -> String {
    guard let width, displayWidth(text) > width else { return text }
    return width < 2 ? "…" : prefix(of: text, width: width - 1) + "…"
}
