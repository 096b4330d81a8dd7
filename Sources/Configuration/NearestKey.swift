import Folders

/// The key that somebody meant who wrote `name`.
func nearestKey(to name: String) -> Key? {
    nearestWord(to: name, among: Key.allCases.map(\.rawValue)).flatMap(Key.init)
}
