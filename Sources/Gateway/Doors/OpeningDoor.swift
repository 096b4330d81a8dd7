import MeshModel
import RadioLink
import Store

// Rules make their packets when these can leave, and no earlier: what an answer says is true then, and whoever writes meanwhile does
// not wait behind rules.

extension Gateway {
    /// Whether a packet that is accepted now would leave now.
    public enum Opening: Hashable, Sendable {
        case now
        /// In so many milliseconds.
        case later(Int64)
        /// Others' packets come first, or the radio has to answer. The one who has asked is woken.
        case unknown
        /// There is no radio.
        case absent
    }

    /// Takes locks only, and promises nothing: somebody else may come first.
    ///
    /// - Parameter wake: called once, on any thread, when the answer may be another one; but not because time has passed. One waits
    ///   for each source: the one who has asked last. Must return at once.
    public func opening(
        for port: PortNumber, in source: SourceID, wake: @escaping @Sendable () -> Void
    ) -> Opening {
        guard let radio = radioFeeding(source) else { return .absent }
        let here = radio.attachment
        guard here.takesPackets(of: source) else { return .absent }
        guard let time = here.outbox.opening(for: port, in: here.session, wake: wake), here.link == .live else {
            return .unknown
        }
        let now = monotonic()
        return time <= now ? .now : .later(Int64((time - now + 999_999) / 1_000_000))
    }
}
