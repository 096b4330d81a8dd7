import Gateway
import MeshModel
import MeshProtocol
import Platform
import Store

/// The nodes that handshakes bring which begin in the same second: the radio's own, and those that were heard lately, newest
/// first. Their frames are made slice by slice, for all who are at that place.
final class ToldNodes {
    static let capacity = 1000
    private static let sliceLength = 32
    /// Slices that are kept for those who come a little later.
    private static let kept = 6
    /// Seconds: thirty days.
    private static let heardWithin: Int64 = 30 * 86_400

    let handshake: ToldHandshake
    private let store: Store
    private let source: SourceID
    /// The own node is the first.
    private let order: [NodeNumber]
    private var slices: [(index: Int, bytes: [UInt8])] = []

    /// - Parameter forgotten: nodes that clients have had the radio forget.
    init(_ store: Store, _ source: SourceID, _ handshake: ToldHandshake, forgotten: ForgottenNodes) {
        (self.store, self.source, self.handshake) = (store, source, handshake)
        let since = max(WallClock.seconds() - Self.heardWithin, forgotten.all.map { $0.at + 1 } ?? 0)
        let heard = try? store.readCommitted { reader in
            try reader.nodeNumbers(in: source, order: .lastHeardDescending, heardSince: since).filter { number in
                guard let removed = forgotten[number], removed != forgotten.all else { return true }
                return try (reader.node(number, in: source)?.lastHeard ?? 0) > removed.at
            }
        }
        let own = handshake.radio.own
        var order = [own]
        var told: Set<NodeNumber> = [own]
        for number in heard ?? [] where order.count < Self.capacity {
            if number.mayBeNode, told.insert(number).inserted { order.append(number) }
        }
        let rest = handshake.radio.nodes
            .filter { node in
                node.number.mayBeNode && !told.contains(node.number)
                    && (forgotten[node.number].map { $0.generation < handshake.radio.generation } ?? true)
            }
            .map { (number: $0.number, heard: SharedFrames.lastHeard(inNodeInfo: $0.frame)) }
            .sorted { $0.heard > $1.heard }
        for (number, _) in rest where order.count < Self.capacity {
            if told.insert(number).inserted { order.append(number) }
        }
        self.order = order
    }

    var count: Int { order.count }

    /// The frame of the radio's own node.
    func own() -> [UInt8] { frames(order.prefix(1)) }

    /// The next frames of others.
    ///
    /// - Returns: nil: there are no more.
    func slice(_ index: Int) -> [UInt8]? {
        let start = 1 + index * Self.sliceLength
        guard start < order.count else { return nil }
        if let slice = slices.first(where: { $0.index == index }) { return slice.bytes }
        let bytes = frames(order[start..<min(start + Self.sliceLength, order.count)])
        if slices.count >= Self.kept { slices.removeFirst() }
        slices.append((index, bytes))
        return bytes
    }

    private func frames(_ numbers: ArraySlice<NodeNumber>) -> [UInt8] {
        let nodes = try? store.readCommitted { reader in try numbers.map { try reader.node($0, in: source) } }
        var bytes: [UInt8] = []
        for (place, number) in numbers.enumerated() {
            let facts = (nodes?[place]).map { SharedFrames.NodeFacts($0, isOwn: number == order[0]) }
            let frame = handshake.places[number].map { handshake.radio.nodes[$0].frame } ?? Self.frame(of: number)
            let told = facts.map { SharedFrames.nodeInfo(frame, with: $0) } ?? frame
            bytes += StreamFrame.encode(told)
        }
        return bytes
    }

    /// Of a node that the radio does not list.
    private static func frame(of number: NodeNumber) -> [UInt8] {
        FromRadio.nodeInfo(NodeInfo(number: number)).encoded()
    }
}

extension SharedFrames.NodeFacts {
    init(_ node: Node, isOwn: Bool) {
        self.init()
        // A radio always marks itself as a favourite. And a client that has just been told `rebooted` may ask for the
        // settings before they are stored.
        if !isOwn {
            (isFavorite, isIgnored, isMuted) = (node.isFavorite, node.isIgnored, node.isMuted)
            (longName, shortName, hardwareModel, role) = (node.longName, node.shortName, node.hardwareModel, node.role)
        }
        lastHeard = UInt32(clamping: node.lastHeard ?? 0)
        snr = node.snr.map { Float($0) }
        (hopsAway, viaMQTT) = (node.hopsAway, node.viaMQTT)
        channel = node.channel.flatMap { (0...7).contains($0) ? UInt32($0) : nil }
        // Which one is right is for a person to say.
        let isDoubted = node.isKeyInDoubt || node.keyMismatch && node.announcedKey == nil
        publicKey = isDoubted ? nil : node.publicKey
        if let latitude = node.latitude, let longitude = node.longitude {
            position = Position(
                latitudeI: Int32(clamping: Int64((latitude * 1e7).rounded())),
                longitudeI: Int32(clamping: Int64((longitude * 1e7).rounded())),
                altitude: node.altitude.map { Int32(clamping: $0) },
                time: node.positionTimestamp.map { UInt32(clamping: $0 / 1000) },
                locationSource: node.positionLocationSource ?? 0, precisionBits: node.positionPrecisionBits)
        }
        var values: [Telemetry.Value] = []
        if let value = node.batteryLevel { values.append(.init("batteryLevel", Double(value))) }
        if let value = node.voltage { values.append(.init("voltage", value)) }
        if let value = node.channelUtilization { values.append(.init("channelUtilization", value)) }
        if let value = node.airUtilTx { values.append(.init("airUtilTx", value)) }
        if let value = node.uptimeSeconds { values.append(.init("uptimeSeconds", Double(value))) }
        if !values.isEmpty { metrics = Telemetry(kind: .device, values: values) }
    }
}
