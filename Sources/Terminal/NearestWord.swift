/// The one of `words` that takes the fewest slips to become `name`, not counting case; the first of several.
public func nearest(to name: String, among words: [String]) -> String? {
    let letters = Array(name.lowercased())
    return words.min { editDistance(letters, Array($0.lowercased())) < editDistance(letters, Array($1.lowercased())) }
}

/// The same, when it is at most so many slips away (one in words of up to four letters).
public func nearest(to name: String, among words: [String], slips: Int) -> String? {
    // So many letters more or fewer are as many slips. A word may have a megabyte.
    let alike = words.filter { abs($0.utf8.count - name.utf8.count) <= slips }
    guard let best = nearest(to: name, among: alike) else { return nil }
    let distance = editDistance(Array(name.lowercased()), Array(best.lowercased()))
    return distance <= (best.count <= 4 ? min(1, slips) : slips) ? best : nil
}

/// How many letters must be put in, left out or replaced, or changed with their neighbour (Damerau and Levenshtein's
/// distance, by optimal string alignment).
private func editDistance(_ one: [Character], _ other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (index, letter) in one.enumerated() {
        var row = [index + 1]
        for (column, otherLetter) in other.enumerated() {
            var least = min(last[column] + (letter == otherLetter ? 0 : 1), last[column + 1] + 1, row[column] + 1)
            if index > 0, column > 0, letter == other[column - 1], one[index - 1] == otherLetter {
                least = min(least, beforeLast[column - 1] + 1)
            }
            row.append(least)
        }
        (beforeLast, last) = (last, row)
    }
    return last[other.count]
}
