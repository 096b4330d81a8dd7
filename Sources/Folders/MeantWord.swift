import Terminal

/// The word that somebody meant who wrote `name`: at most two slips away (one in names of up to four letters), not counting
/// case and "_" for "-". Nil if there is none.
public func nearestWord(to name: String, among words: [String]) -> String? {
    nearest(to: String(name.map { $0 == "_" ? "-" : $0 }), among: words, slips: 2)
}
