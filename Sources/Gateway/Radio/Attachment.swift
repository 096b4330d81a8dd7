import MeshModel
import RadioLink
import Store

/// What is at a link, and which source it feeds. A value without clock or lock: everybody reads a copy of it, and only
/// AttachedRadio and its adoption change it.
struct Attachment: Sendable {
    /// The source that this link feeds, and the settings of its radio, as the writer thread last adopted them. Messages are
    /// written with these: a radio that has just been plugged in may not be the one that the source belongs to.
    private(set) var source: SourceID
    private(set) var snapshot: RadioSnapshot?
    /// The source's.
    private(set) var outbox: SourceOutbox

    private(set) var link = LinkState.searching(nil)
    /// Host milliseconds.
    private(set) var since: Int64
    /// What the radio at the link calls itself, adopted or not yet.
    private(set) var own: NodeNumber?
    /// What the radio at the link is known by; nil while there is none, or it has not told yet.
    private(set) var identities: [String]?
    /// The link that has this link's radio as well, and had it first: what came over this one is not stored.
    private(set) var holder: String?
    private(set) var lora: LoRaSettings?
    private(set) var isResponsive = false
    /// An adoption that ends late must not speak for the next.
    private(set) var session: AttachedSession
    /// The radio at the link is the one that ``source`` belongs to, and that is on disk.
    private(set) var isAdopted = false
    /// The radio's settings may have changed since its last handshake, and it is asked for another one.
    private(set) var isReadAgain = false

    /// - Parameter session: one that is over.
    init(outbox: SourceOutbox, since: Int64, session: AttachedSession) {
        (source, self.outbox, self.since, self.session) = (outbox.source, outbox, since, session)
    }

    /// The radio of this source has told who it is, and is there.
    func takesPackets(of source: SourceID) -> Bool {
        self.source == source && isResponsive && (link == .live || link == .configuring)
    }

    /// The settings of the radio of this source while it is there.
    func present(_ source: SourceID) -> RadioSnapshot? { takesPackets(of: source) ? snapshot : nil }

    // MARK: Changes

    /// - Parameter now: host milliseconds.
    /// - Returns: whether a radio has left that had told who it is.
    mutating func linkChanged(to link: LinkState, at now: Int64) -> Bool {
        (self.link, since) = (link, now)
        if link != .configuring { isReadAgain = false }
        guard link != .live, link != .configuring else { return false }
        (isResponsive, isAdopted) = (false, false)
        return identities.take() != nil
    }

    /// A radio that is away is read when it is back.
    mutating func readAgain() { isReadAgain = link == .live || link == .configuring }

    /// - Parameter change: milliseconds; negative: back.
    mutating func clockWasSet(by change: Int64) { since += change }

    /// A radio has told who it is. Whose source it is, is not decided yet.
    ///
    /// - Returns: whether it is another one than the one of ``source``.
    mutating func introduced(_ snapshot: RadioSnapshot, _ identities: [String], in session: AttachedSession) -> Bool {
        let isOther = self.snapshot.map { !$0.isSameRadio(as: snapshot) } ?? false
        if isOther { self.snapshot = nil }
        (self.identities, self.session) = (identities, session)
        (own, lora) = (snapshot.number, snapshot.lora)
        (isResponsive, isAdopted) = (true, false)
        return isOther
    }

    /// The radio is served at another link.
    mutating func refused(for holder: String) { self.holder = holder }

    /// The radio is that of this outbox's source.
    mutating func adopted(_ snapshot: RadioSnapshot, into outbox: SourceOutbox) {
        (source, self.outbox, self.snapshot, holder) = (outbox.source, outbox, snapshot, nil)
    }

    /// Another link has taken the source over, and left its own, whose radio is not here.
    mutating func exchanged(for outbox: SourceOutbox) {
        (source, self.outbox, snapshot) = (outbox.source, outbox, nil)
    }

    /// It is on disk whose the radio of this session is.
    ///
    /// - Returns: false: it is no longer here.
    mutating func decided(in session: AttachedSession) -> Bool {
        guard self.session === session, !session.isOver else { return false }
        isAdopted = holder == nil
        return true
    }
}

extension RadioSnapshot {
    fileprivate func isSameRadio(as other: RadioSnapshot) -> Bool {
        myInfo.deviceID == other.myInfo.deviceID && usbSerial == other.usbSerial
            && (!myInfo.deviceID.isEmpty || usbSerial != nil || number == other.number)
    }
}
