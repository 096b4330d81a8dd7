import MeshModel

/// What the radio knows of the other nodes.
extension Radio {
    func node(_ number: NodeNumber) -> SimulatedNode? { indices[number].map { nodes[$0] } }

    mutating func change(_ number: NodeNumber, _ change: (inout SimulatedNode) -> Void) {
        if let index = indices[number] { change(&nodes[index]) }
    }

    mutating func markHeard(_ number: NodeNumber) {
        if let index = indices[number] { nodes[index].lastHeard = now }
    }

    /// The radio knows nothing of the node any more; the mesh still has it.
    mutating func forget(_ number: NodeNumber) {
        change(number) { node in
            node.ownKey = node.ownKey ?? node.user?.publicKey
            node.isForgotten = true
            (node.isFavorite, node.isIgnored, node.isMuted, node.isKeyManuallyVerified) = (false, false, false, false)
        }
    }

    mutating func insert(_ node: SimulatedNode) {
        if let index = indices[node.number] {
            nodes[index] = node
        } else {
            indices[node.number] = nodes.count
            nodes.append(node)
        }
    }

    mutating func forgetAll() { for node in nodes { forget(node.number) } }
}
