import Terminal

/// The key that somebody meant who wrote `name`: at most two slips away (one in names of up to four letters), not
/// counting case and "_" for "-".
func nearestKey(to name: String) -> Key? {
    nearestWord(to: name, among: Key.allCases.map(\.rawValue)).flatMap(Key.init)
}

/// The same among any words that a file may have.
public func nearestWord(to name: String, among words: [String]) -> String? {
    nearest(to: String(name.map { $0 == "_" ? "-" : $0 }), among: words, slips: 2)
}
