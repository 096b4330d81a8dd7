import MeshModel

/// What one source may learn about a node from another one, under MeshMonitor's names (Contract 3.3).
package enum NodeField: String, CaseIterable {
    case longName, shortName, hwModel, role, macaddr, publicKey, hasPKC, firmwareVersion

    func isFilled(in node: Node) -> Bool {
        switch self {
        case .longName: node.longName != nil
        case .shortName: node.shortName != nil
        case .hwModel: (node.hardwareModel ?? 0) != 0
        case .role: node.role != nil
        case .macaddr: node.macAddress != nil
        case .publicKey, .hasPKC: node.publicKey != nil
        case .firmwareVersion: node.firmwareVersion != nil
        }
    }

    /// Takes over the donor's value; what the donor does not know stays.
    func copy(from donor: Node, to node: inout Node) {
        guard isFilled(in: donor) else { return }
        switch self {
        case .longName: node.longName = donor.longName
        case .shortName: node.shortName = donor.shortName
        case .hwModel: node.hardwareModel = donor.hardwareModel
        case .role: node.role = donor.role
        case .macaddr: node.macAddress = donor.macAddress
        case .publicKey where node.publicKey != donor.publicKey:
            guard let key = donor.publicKey else { return }
            // The doubt was about the key that is gone.
            node.pin(key)
            // What was announced besides a key that was kept is no doubt, and here nobody has kept it yet.
            guard donor.announcedKey == nil || donor.isKeyInDoubt else { return }
            node.keyMismatch = donor.keyMismatch
            node.announcedKey = donor.announcedKey
            node.keyDoubtedAt = donor.keyDoubtedAt
        // Whether there is a key is told by the key alone.
        case .publicKey, .hasPKC: break
        case .firmwareVersion: node.firmwareVersion = donor.firmwareVersion
        }
    }

    /// What this node lacks and the donor knows.
    static func gaps(of node: Node, against donor: Node) -> [NodeField] {
        allCases.filter { !$0.isFilled(in: node) && $0.isFilled(in: donor) }
    }
}
