import MeshModel
import MeshProtocol

// What happens to keys: a node is set up again, comes back under another number, is forgotten by the radio, or the radio
// has a wrong key (SerialReference 5.4, 5.6 and 14.13). What the radio knows of a node and what the node has itself
// then differ: `user` is the former, `ownKey` the latter.

extension SimulatedRadio {
    /// The node was set up again: it has another key and announces it, while the radio keeps the old one.
    /// - Returns: its key.
    @discardableResult
    public func changeKey(of node: NodeNumber) -> PublicKey {
        let key = PublicKey(bytes(of: node, salt: 1))!
        change { state in
            state.lines.radio.change(node) { ($0.ownKey, $0.announcedKey) = (key, key) }
            state.lines.radio.announce(node, id: state.textIDs.packetID())
        }
        return key
    }

    /// A node introduces itself to everybody.
    public func announce(_ node: NodeNumber) {
        change { state in state.lines.radio.announce(node, id: state.textIDs.packetID()) }
    }

    /// The node comes back with the same key under the number that firmware 2.8 makes from it, or another one when that
    /// is its number already; the old number falls silent.
    /// - Returns: its number.
    @discardableResult
    public func renumber(_ node: NodeNumber) -> NodeNumber {
        change { state in
            let new = state.lines.radio.renumber(node)
            state.lines.radio.announce(new, id: state.textIDs.packetID())
            return new
        }
    }

    /// The radio forgets a node, which is still there.
    public func forget(_ node: NodeNumber) { change { $0.lines.radio.forget(node) } }

    /// The radio has another key for the node than the node itself.
    /// - Returns: the key that the radio has now.
    @discardableResult
    public func swapKey(of node: NodeNumber) -> PublicKey {
        let key = PublicKey(bytes(of: node, salt: 2))!
        change { state in
            state.lines.radio.change(node) { node in
                node.ownKey = node.ownKey ?? node.user?.publicKey
                node.user?.publicKey = key
            }
        }
        return key
    }

    /// 32 bytes that depend on the seed, the node and what they are for.
    private func bytes(of node: NodeNumber, salt: UInt64) -> [UInt8] {
        var generator = SeededGenerator(
            seed: UInt64(number.rawValue) << 32 | UInt64(node.rawValue), purpose: 100 + salt)
        return generator.bytes(32)
    }
}

extension Radio {
    /// The key that a node encrypts and decrypts with.
    func ownKey(of node: SimulatedNode) -> PublicKey? { node.ownKey ?? node.publicKey }

    /// A NodeInfo of the node comes in. A radio that does not know it learns it, whatever key that brings; one that does
    /// keeps the key that it has.
    mutating func announce(_ number: NodeNumber, id: PacketID) {
        guard let node = node(number), var user = node.user else { return }
        user.publicKey = node.announcedKey ?? ownKey(of: node)
        if node.isForgotten {
            change(number) { node in
                node.isForgotten = false
                node.user = user
            }
        }
        hear(
            MeshData(port: .nodeInfo, payload: user.encoded(), bitfield: 1), from: number, to: .broadcast, channel: 0,
            id: id)
    }

    mutating func renumber(_ old: NodeNumber) -> NodeNumber {
        guard var node = node(old) else { return old }
        let key = ownKey(of: node)
        var new = key?.nodeNumber ?? old
        if new == old { new = NodeNumber(old.rawValue ^ 0x0001_0000) }
        change(old) { $0.behaviour = .isSilent }
        node.number = new
        node.user?.id = new.id
        node.user?.publicKey = key
        node.user?.macAddress = []
        insert(node)
        return new
    }

    /// add_contact: the radio knows the node from now on by this key, and protects it from eviction.
    mutating func add(_ contact: SharedContact) {
        if node(contact.number) == nil { insert(.stranger(contact.number)) }
        change(contact.number) { node in
            node.ownKey = node.ownKey ?? node.user?.publicKey
            node.user = contact.user
            node.isForgotten = false
            node.isFavorite = !contact.shouldIgnore
            node.isIgnored = contact.shouldIgnore
            node.isKeyManuallyVerified = contact.isManuallyVerified
        }
    }
}

extension SimulatedNode {
    /// Somebody unknown to the mesh.
    fileprivate static func stranger(_ number: NodeNumber) -> SimulatedNode {
        SimulatedNode(
            number: number, user: nil, behaviour: .isSilent, hopsAway: 3, viaMQTT: false, isStoreForwardServer: false,
            snr: 0, rssi: -120, lastHeard: 0, signs: false, relayByte: 0)
    }
}
