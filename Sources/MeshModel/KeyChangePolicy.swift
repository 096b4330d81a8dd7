/// What becomes of a direct message to a node for which another key than the known one was seen, by the words of the
/// setting `key-change`.
public enum KeyChangePolicy: String, CaseIterable, Sendable {
    /// It is not accepted.
    case refuse
    /// It waits until a person has decided about the key.
    case hold
    /// It goes out under the known key; who has another one cannot read it.
    case send
}
