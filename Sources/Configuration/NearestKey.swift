import Terminal

/// The key that somebody meant who wrote `name`: at most two slips away (one in names of up to four letters), not
/// counting case and "_" for "-".
func nearestKey(to name: String) -> Key? {
    let name = String(name.map { $0 == "_" ? "-" : $0 })
    return nearest(to: name, among: Key.allCases.map(\.rawValue), slips: 2).flatMap(Key.init)
}
