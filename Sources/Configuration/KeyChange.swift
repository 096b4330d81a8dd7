/// What becomes of a direct message to a node for which another key than the known one was seen.
public enum KeyChange: String, Sendable, Equatable {
    /// It is not accepted.
    case refuse
    /// It waits until somebody has decided about the key.
    case hold
    /// It goes out under the known key.
    case send
}
