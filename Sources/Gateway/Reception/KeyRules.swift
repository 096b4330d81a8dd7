import MeshModel
import Store

// Whose key is whose (SerialReference 5.4, 5.6 and 14.22).
//
// 1. The first key of a node is pinned, wherever it was seen. Everybody who has the channel's key, which is often public,
//    can announce any key in anybody's name; and the radio may have forgotten the node, and believed the next announcement.
// 2. So another key is only kept beside the pinned one, and a person decides. The doubt ends by itself when the node is
//    heard under the pinned key: only its owner can encrypt with that.
// 3. Firmware 2.8 makes the node number from the key. A node that is upgraded comes back under another number, with the
//    same key and without its MAC address: the two rows are linked, the old number's history stays where it is.
// 4. Two devices with one key (a restored backup, a cloned flash) look the same at first. They are two when both are heard.

/// Where a key was seen.
enum KeyOrigin {
    /// In a NodeInfo that came over the air.
    case announced
    /// The radio has decrypted a packet with it.
    case proven
    /// In the radio's own node database.
    case remembered
}

extension Node {
    /// A key was seen for this node.
    mutating func saw(_ key: PublicKey, _ origin: KeyOrigin, at now: Int64) {
        guard let pinned = publicKey else { return pin(key) }
        guard key != pinned else {
            if origin == .proven { endKeyDoubt() }
            return
        }
        guard announcedKey != key else { return }
        announcedKey = key
        keyMismatch = true
        keyDoubtedAt = now
    }

    /// An answer to a message says that its key is another one now. Where none is known, none is in doubt.
    mutating func failedByKey(at now: Int64) {
        guard publicKey != nil, !keyMismatch else { return }
        keyMismatch = true
        keyDoubtedAt = now
    }

    /// It acknowledged a message under its pinned key. An acknowledgement can be forged by anybody who has the channel's
    /// key: enough after a failure, nothing against another key.
    mutating func acknowledgedUnderKey() {
        if announcedKey == nil { endKeyDoubt() }
    }
}

// MARK: One key, two numbers

enum KeyTwins {
    /// Milliseconds after the second number appeared in which packets of the first can still come in, over relays.
    static let afterglow: Int64 = 15 * 60_000
    /// Seconds for which a node counts as alive after it was heard: the firmware's own measure (NUM_ONLINE_SECS).
    static let aliveFor: Int64 = 2 * 3600
}

extension Writer {
    /// A node has got its first key, or another one. Who else has the same one is the same device, until both are heard.
    func linkTwins(of newcomer: NodeNumber, in source: SourceID, at now: Int64) throws {
        try change(as: .corrected) { try linkOthers(to: newcomer, in: source, at: now) }
    }

    private func linkOthers(to newcomer: NodeNumber, in source: SourceID, at now: Int64) throws {
        try unlinkTwins(of: newcomer, in: source, at: now)
        guard let node = try node(newcomer, in: source), let key = node.publicKey else { return }
        let others = try nodes(with: key, in: source).filter { $0 != newcomer }.compactMap {
            try self.node($0, in: source)
        }
        guard let other = others.max(by: { ($0.lastHeard ?? 0) < ($1.lastHeard ?? 0) }) else { return }
        // Who was heard later is the one that it is now. Of two that the radio remembers alike, the one whose number
        // firmware 2.8 has made.
        let (mine, theirs) = (node.lastHeard ?? 0, other.lastHeard ?? 0)
        let isNewer = mine != theirs ? mine > theirs : other.number != key.nodeNumber
        let (old, new) = isNewer ? (other.number, newcomer) : (newcomer, other.number)
        try orderTwins(from: old, to: new, in: source, at: now) { $0.sameKeySince = now }
    }

    /// The node was heard, and there is another one with its key.
    func twinWasHeard(_ number: NodeNumber, in source: SourceID, at now: Int64) throws {
        guard let since = try node(number, in: source, \.sameKeySince), now > since + KeyTwins.afterglow,
            let node = try node(number, in: source), let other = node.twin, let twin = try self.node(other, in: source)
        else { return }
        let heard = twin.lastHeard ?? 0
        let isAlive = heard > now / 1000 - KeyTwins.aliveFor && heard * 1000 > since + KeyTwins.afterglow
        if !isAlive, node.successor != nil {
            // It is back under the number of before.
            try orderTwins(from: other, to: number, in: source, at: now) { _ in }
        }
        for one in [number, other] {
            try change(as: one == number ? origin : .corrected) {
                try updateNode(one, in: source, at: now) { $0.isKeyDuplicate = isAlive }
            }
        }
    }

    private func orderTwins(
        from old: NodeNumber, to new: NodeNumber, in source: SourceID, at now: Int64, _ change: (inout Node) -> Void
    ) throws {
        try updateNode(old, in: source, at: now) {
            ($0.successor, $0.predecessor) = (new, $0.predecessor == new ? nil : $0.predecessor)
            change(&$0)
        }
        try updateNode(new, in: source, at: now) {
            ($0.successor, $0.predecessor) = (nil, old)
            change(&$0)
        }
    }

    /// Its key is another one now, or it is to be deleted.
    func unlinkTwins(of number: NodeNumber, in source: SourceID, at now: Int64) throws {
        guard let node = try node(number, in: source), node.twin != nil else { return }
        for other in [node.successor, node.predecessor].compactMap(\.self) {
            try updateNode(other, in: source, at: now) { $0.forgetTwin(number) }
            try updateNode(number, in: source, at: now) { $0.forgetTwin(other) }
        }
    }

    /// Under which number the device is reached now that used to be this node; the node itself when it is still there.
    ///
    /// Its key is public: a node that announces it under another number must not divert what is meant for it. So the
    /// new number counts when firmware 2.8 makes it from the key, or when it has proven to own the key.
    func presentNumber(of number: NodeNumber, in source: SourceID) throws -> NodeNumber {
        var current = number
        var passed: Set<NodeNumber> = []
        while passed.insert(current).inserted, let node = try node(current, in: source), !node.isKeyDuplicate,
            let since = node.sameKeySince, (node.lastHeard ?? 0) * 1000 <= since,
            let next = node.successor, let successor = try self.node(next, in: source),
            next == successor.publicKey?.nodeNumber || (successor.lastPKIPacket ?? 0) >= since
        {
            current = next
        }
        return current
    }
}

extension Node {
    fileprivate mutating func forgetTwin(_ other: NodeNumber) {
        if successor == other { successor = nil }
        if predecessor == other { predecessor = nil }
        isKeyDuplicate = false
        if twin == nil { sameKeySince = nil }
    }
}
