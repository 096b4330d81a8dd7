import MeshModel
import Store

extension Gateway {
    /// Why a text would not be accepted now, for clients that say so before anybody writes one; nil: it would. Takes locks
    /// only, and promises nothing: when the text comes, it is decided again.
    ///
    /// - Parameters:
    ///   - node: the recipient; nil: it is for a channel, or to a node that has no row.
    ///   - waits: the text may wait while the radio is away.
    ///   - own: the number of the source's radio, as far as it is known.
    public func obstacle(
        to node: Node?, waits: Bool, in source: SourceID, own: NodeNumber?
    ) -> SendRefusal? {
        guard let radio = radioFeeding(source) else { return .notConnected }
        return radio.obstacle(to: node, waits: waits, in: source, own: own)
    }
}

extension AttachedRadio {
    fileprivate func obstacle(to node: Node?, waits: Bool, in source: SourceID, own: NodeNumber?) -> SendRefusal? {
        let here = attachment
        let isThere = here.takesPackets(of: source)
        if isThere, here.snapshot?.isTransmitDisabled == true { return .transmitDisabled }
        guard isThere || waits && own != nil else { return .notConnected }
        // A text for a node that has come back under another number goes there.
        guard let node, node.isKeyInDoubt, node.successor == nil, keyChange.withLock({ $0 == .refuse }) else {
            return nil
        }
        return .keyInDoubt(node.number)
    }
}
