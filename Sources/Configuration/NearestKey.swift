/// The key that somebody meant who wrote `name`: at most two slips away (one in names of up to four letters), not
/// counting case and "_" for "-".
func nearestKey(to name: String) -> Key? {
    let name = name.lowercased().map { $0 == "_" ? "-" : $0 }
    // So many letters more or fewer are as many slips. A file of another kind has "names" of a megabyte.
    let alike = Key.allCases.filter { abs($0.rawValue.utf8.count - name.count) <= 2 }
    let ranked = alike.map { ($0, editDistance(name, Array($0.rawValue))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= (best.0.rawValue.count <= 4 ? 1 : 2) else { return nil }
    return best.0
}

/// The one of `words` that takes the fewest slips to become `name`, not counting case; the first of several.
public func nearest(to name: String, among words: [String]) -> String? {
    let letters = Array(name.lowercased())
    return words.min { editDistance(letters, Array($0.lowercased())) < editDistance(letters, Array($1.lowercased())) }
}

/// How many letters must be put in, left out or replaced (Levenshtein).
private func editDistance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let replaced = diagonal + (letter == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
