import MeshModel
import Store

// Nodes that enter or leave a circle. One report is not enough: a position may be wrong once, and a blurred one jumps at the edge.
// A node is on the other side after two reports in a row, or after ten minutes of a live link without a report that says
// otherwise. An episode exists while a node is inside; it notifies nobody itself.

extension Engine {
    /// The first report from the other side.
    struct Crossing {
        /// Host milliseconds.
        var at: Int64
        var source: SourceID
        /// Several radios hear the same report.
        var packet: PacketID?
        /// The channel on which it came.
        var channel: Int?
        var distance: Double
    }

    /// Live time after which one report is enough, in milliseconds.
    static let confirming: Int64 = 600_000

    mutating func position(
        _ number: NodeNumber, _ row: Int64, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let asking = active.indices.filter {
            change.number > active[$0].row.change && active[$0].rule.when.circle != nil
        }
        guard !asking.isEmpty, try !facts.isOwn(number), let report = try facts.position(inRow: row, in: change.source),
            let latitude = report.value.latitude, let longitude = report.value.longitude,
            let node = try facts.node(number, in: change.source)
        else { return }
        let channel = report.channel.map { Int($0) } ?? node.channel
        for index in asking {
            let rule = active[index].rule
            guard let circle = rule.when.circle else { continue }
            let key = Key(rule: rule.name, subject: .node(number))
            let side = circle.side(latitude, longitude, precisionBits: report.value.precisionBits)
            let isInside = episodes[key] != nil
            if let failed = try failed(rule, node, node.channel, change.source, facts) {
                // A node that the rule does not count is never inside, so it cannot leave.
                if side != .unsure, (side == .inside) != isInside, rule.when.isAbout(entering: !isInside) {
                    missPlace(index, number, failed, on: channel, in: change.source, at: report.at)
                }
                continue
            }
            if side == .unsure, isInside, rule.when.isAbout(entering: false) {
                missPlace(index, number, .blurred, on: channel, in: change.source, at: report.at)
            }
            if let crossing = crossings[key], isConfirmed(crossing, at: report.at) {
                try cross(index, key, crossing, at: crossing.at + Self.confirming, facts, now: now)
            }
            guard side != .unsure, (side == .inside) != (episodes[key] != nil) else {
                crossings[key] = nil
                continue
            }
            let distance = circle.distance(latitude, longitude)
            if var crossing = crossings[key] {
                if let packet = report.packetID, packet == crossing.packet { continue }
                (crossing.source, crossing.channel, crossing.distance) = (change.source, channel, distance)
                try cross(index, key, crossing, at: report.at, facts, now: now)
            } else {
                crossings[key] = Crossing(
                    at: report.at, source: change.source, packet: report.packetID, channel: channel,
                    distance: distance)
                if rule.when.isAbout(entering: side == .inside) {
                    missPlace(index, number, .unconfirmed, on: channel, in: change.source, at: report.at)
                }
            }
        }
    }

    /// A position is shown only to readers of the channel on which it came.
    private mutating func missPlace(
        _ index: Int, _ number: NodeNumber, _ failed: FailedCondition, on channel: Int?, in source: SourceID,
        at time: Int64
    ) {
        miss(index, failed, in: source, node: number, need: .node(channel: channel), at: time)
    }

    /// Adopts the first position of a node, which is not news.
    mutating func adoptPosition(_ number: NodeNumber, _ row: Int64, in source: SourceID, _ facts: any RuleFacts) throws
    {
        guard let report = try facts.position(inRow: row, in: source), let latitude = report.value.latitude,
            let longitude = report.value.longitude
        else { return }
        for active in active {
            let side = active.rule.when.circle?.side(
                latitude, longitude, precisionBits: report.value.precisionBits)
            guard side == .inside else { continue }
            let key = Key(rule: active.rule.name, subject: .node(number))
            set(Episode(key.rule, key.subject.text, in: source, at: report.at), key)
        }
    }

    private func isConfirmed(_ crossing: Crossing, at time: Int64) -> Bool {
        links.liveTime(of: crossing.source, since: crossing.at, at: time) >= Self.confirming
    }

    /// Confirms crossings that no report has contradicted for ten minutes.
    mutating func confirmCrossings(_ facts: any RuleFacts, at now: Moment) throws {
        guard now.isSure else { return }
        let began = now.at - (now.uptime - started.uptime)
        for (key, crossing) in crossings.sorted(by: { $0.value.at < $1.value.at })
        where isConfirmed(crossing, at: now.at) {
            guard let index = active.firstIndex(where: { $0.rule.name == key.rule }) else { continue }
            // The radio may have been away in between. What was reported before a start is as old as it is.
            let time = crossing.at < began ? crossing.at + Self.confirming : now.at
            try cross(index, key, crossing, at: time, facts, now: now)
        }
    }

    /// When the first crossing will be confirmed.
    func confirmation(at now: Moment) -> Int64? {
        guard now.isSure else { return nil }
        return crossings.values.filter { links.isLive($0.source) }.map { crossing in
            now.at + max(0, Self.confirming - links.liveTime(of: crossing.source, since: crossing.at, at: now.at))
        }
        .min()
    }

    /// The node is on the other side now.
    private mutating func cross(
        _ index: Int, _ key: Key, _ crossing: Crossing, at time: Int64, _ facts: any RuleFacts, now: Moment
    ) throws {
        crossings[key] = nil
        let isEntering = episodes[key] == nil
        if isEntering {
            set(Episode(key.rule, key.subject.text, in: crossing.source, at: time), key)
        } else {
            episodes[key] = nil
            outcome.episodes.insert(key)
        }
        guard case .node(let number) = key.subject else { return }
        let node = try facts.node(number, in: crossing.source)
        var matter = Matter(source: crossing.source, node: node, value: crossing.distance, channel: node?.channel)
        matter.placeChannel = crossing.channel
        guard active[index].rule.when.isAbout(entering: isEntering) else { return }
        let telling = Telling(nil, .node(number), matter)
        let words = "\(active[index].rule.when.type) \(number.id) \(time)"
        try tell(event: index, telling, keys: [words], at: time, facts, now: now)
    }

    /// Compares the nodes' last reported positions with the episodes: restarts and missed changes lose unconfirmed crossings.
    ///
    /// - Parameter isFirst: where they are is not news, as when the rule is first read.
    mutating func compareCircles(_ facts: any RuleFacts, only rule: Int? = nil, isFirst: Bool = false) throws {
        let asking = active.indices.filter { active[$0].rule.when.circle != nil && (rule == nil || rule == $0) }
        guard !asking.isEmpty else { return }
        for heard in try facts.heardNodes() {
            let places = try places(of: heard.number, facts)
            for index in asking {
                let rule = active[index].rule
                guard let circle = rule.when.circle,
                    let place = try places.first(where: { try rule.conditions.isOf($0.source, facts) })
                else { continue }
                let (node, source) = (place.node, place.source)
                let key = Key(rule: rule.name, subject: .node(heard.number))
                let side = circle.side(place.latitude, place.longitude, precisionBits: node.positionPrecisionBits)
                guard side != .unsure, (side == .inside) != (episodes[key] != nil), crossings[key] == nil else {
                    continue
                }
                // A position without a time is from the radio's list or an import, not from a report that was heard.
                if let time = node.positionTimestamp, !isFirst {
                    guard try failed(rule, node, node.channel, source, facts) == nil else { continue }
                    crossings[key] = Crossing(
                        at: time, source: source, packet: nil, channel: node.positionChannel ?? node.channel,
                        distance: circle.distance(place.latitude, place.longitude))
                } else if side == .inside {
                    let time = node.positionTimestamp ?? heard.at
                    set(Episode(key.rule, key.subject.text, in: source, at: time), key)
                } else {
                    episodes[key] = nil
                    outcome.episodes.insert(key)
                }
            }
        }
    }

    private typealias Place = (source: SourceID, node: Node, latitude: Double, longitude: Double)

    /// Where each radio has a node, newest position first: the radio that heard it last may have missed its last report.
    private func places(of number: NodeNumber, _ facts: any RuleFacts) throws -> [Place] {
        try facts.sources().compactMap { found -> Place? in
            guard let node = try facts.node(number, in: found.id), let latitude = node.latitude,
                let longitude = node.longitude
            else { return nil }
            return (found.id, node, latitude, longitude)
        }
        .sorted { $0.node.placedAt > $1.node.placedAt }
    }
}

extension Node {
    /// When it reported its position, and when it was heard.
    fileprivate var placedAt: (Int64, Int64) { (positionTimestamp ?? 0, lastHeard ?? 0) }
}

extension Trigger {
    fileprivate func isAbout(entering: Bool) -> Bool {
        switch self {
        case .entersCircle: entering
        case .leavesCircle: !entering
        default: false
        }
    }
}
