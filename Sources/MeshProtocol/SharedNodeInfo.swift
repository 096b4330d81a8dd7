import MeshModel

extension SharedFrames {
    /// Seconds since 1970 at which the radio has heard the node of a node_info frame last; 0: never, or it had no clock.
    public static func lastHeard(inNodeInfo frame: [UInt8]) -> UInt32 {
        field(4, in: frame[...]).flatMap { field(5, in: $0.content) }.map { $0.isLengthDelimited ? 0 : $0.fixed } ?? 0
    }

    /// What has been learnt of a node since the radio told of it.
    public struct NodeFacts: Sendable {
        /// Seconds since 1970; 0: it was not heard.
        public var lastHeard: UInt32 = 0
        public var snr: Float?
        public var hopsAway: UInt32?
        public var channel: UInt32?
        public var viaMQTT: Bool?
        public var position: Position?
        public var metrics: Telemetry?
        public var longName: String?
        public var shortName: String?
        public var hardwareModel: UInt32?
        public var role: UInt32?
        /// Whatever the radio has said when: they are marks of the users.
        public var isFavorite: Bool?
        public var isIgnored: Bool?
        public var isMuted: Bool?
        /// Taken where the radio shows none.
        public var publicKey: PublicKey?

        public init() {}

        fileprivate func user(of number: UInt64) -> User {
            User(
                id: NodeNumber(UInt32(truncatingIfNeeded: number)).id, longName: longName ?? "",
                shortName: shortName ?? "", hardwareModel: hardwareModel ?? 0, role: role ?? 0, publicKey: publicKey)
        }
    }

    /// A node_info frame with what is known better by now. Longer than a frame may be: as it was.
    public static func nodeInfo(_ frame: [UInt8], with facts: NodeFacts) -> [UInt8] {
        guard let info = field(4, in: frame[...]), info.isLengthDelimited, let fields = WireField.all(in: info.content)
        else { return frame }
        let isNewer = facts.lastHeard > lastHeard(inNodeInfo: frame)
        var known = NodeInfo(number: NodeNumber(0))
        var replaced: Set<UInt32> = []
        if isNewer {
            known.lastHeard = facts.lastHeard
            replaced.insert(5)
            if let snr = facts.snr { (known.snr, _) = (snr, replaced.insert(4)) }
            if let hops = facts.hopsAway { (known.hopsAway, _) = (hops, replaced.insert(9)) }
            if let channel = facts.channel { (known.channel, _) = (channel, replaced.insert(7)) }
            if let viaMQTT = facts.viaMQTT { (known.viaMQTT, _) = (viaMQTT, replaced.insert(8)) }
        }
        if let isFavorite = facts.isFavorite { (known.isFavorite, _) = (isFavorite, replaced.insert(10)) }
        if let isIgnored = facts.isIgnored { (known.isIgnored, _) = (isIgnored, replaced.insert(11)) }
        if let isMuted = facts.isMuted { (known.isMuted, _) = (isMuted, replaced.insert(13)) }
        let shown = Set(fields.map(\.number))
        if let position = facts.position, isNewer || !shown.contains(3) {
            (known.position, _) = (position, replaced.insert(3))
        }
        if let metrics = facts.metrics, isNewer || !shown.contains(6) {
            (known.deviceMetrics, _) = (metrics, replaced.insert(6))
        }
        if !shown.contains(2), facts.longName != nil || facts.shortName != nil {
            known.user = facts.user(of: fields.last { $0.number == 1 }?.varint ?? 0)
        }
        var content: [UInt8] = []
        for field in fields where !replaced.contains(field.number) {
            if field.number == 2, field.isLengthDelimited {
                field.append(user(field.content, with: facts, isNewer), to: &content)
            } else {
                content.append(contentsOf: field.whole)
            }
        }
        content += known.encoded()
        var result: [UInt8] = []
        WireBytes.append(4, content, to: &result)
        return result.count <= StreamFrame.maximumLength ? result : frame
    }

    private static func user(_ bytes: ArraySlice<UInt8>, with facts: NodeFacts, _ isNewer: Bool) -> [UInt8] {
        guard let fields = WireField.all(in: bytes) else { return Array(bytes) }
        var known = User()
        var replaced: Set<UInt32> = []
        if isNewer {
            if let name = facts.longName { (known.longName, _) = (name, replaced.insert(2)) }
            if let name = facts.shortName { (known.shortName, _) = (name, replaced.insert(3)) }
            if let model = facts.hardwareModel { (known.hardwareModel, _) = (model, replaced.insert(5)) }
            if let role = facts.role { (known.role, _) = (role, replaced.insert(7)) }
        }
        if !fields.contains(where: { $0.number == 8 && !$0.content.isEmpty }) { known.publicKey = facts.publicKey }
        return fields.filter { !replaced.contains($0.number) }.flatMap { Array($0.whole) } + known.encoded()
    }

    private static func field(_ number: UInt32, in bytes: ArraySlice<UInt8>) -> WireField? {
        var rest = bytes
        var found: WireField?
        while let field = WireField(readingFrom: &rest) { if field.number == number { found = field } }
        return found
    }
}

extension NodeInfo {
    /// The content of a node_info.
    func encoded() -> [UInt8] { packed(wire) }
}
