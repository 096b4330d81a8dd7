import MeshModel
import RadioLink

/// For which session of a link an outbox takes packets, and in which it gives them out. A value without a lock, which its outbox
/// asks under its own.
struct OutboxGate {
    /// As it is while a radio is there.
    struct Passage {
        fileprivate let session: AttachedSession
        /// The radio's number.
        let own: NodeNumber
        /// Its transmitter is on.
        let transmits: Bool
        /// Packets are given out; otherwise they wait until it is on disk whose the radio is.
        let isOpen: Bool
    }

    private var passage: Passage?

    /// Packets are given out in some session, which may be over.
    var isOpen: Bool { passage?.isOpen == true }

    /// As it is for this session; nil: closed.
    func passage(for session: AttachedSession) -> Passage? {
        session.isOver || passage?.session !== session ? nil : passage
    }

    /// A session that is over opens nothing.
    mutating func set(for radio: RadioSnapshot, in session: AttachedSession, isOpen: Bool) {
        guard !session.isOver else { return }
        passage = Passage(
            session: session, own: radio.number, transmits: !radio.isTransmitDisabled, isOpen: isOpen)
    }

    /// Whose the radio of this session is, is about to be on disk. A gate that is open for it stays so.
    mutating func expect(_ radio: RadioSnapshot, in session: AttachedSession) {
        guard !isOpen || passage?.session !== session else { return }
        set(for: radio, in: session, isOpen: false)
    }

    /// Closes it with a session that is over; one that pauses keeps it.
    ///
    /// - Returns: false: it is another link's by now.
    mutating func end(_ session: AttachedSession) -> Bool {
        if let passage, passage.session !== session, !passage.session.isOver { return false }
        if session.isOver { passage = nil }
        return true
    }
}
