import MeshModel
import Store

// States: how their episodes begin and end, wait for their gates, and are repeated while they last.

extension Engine {
    /// Details about a state's subject, for its title and for the check who may see it.
    struct Matter {
        var source: SourceID
        var node: Node?
        var value: Double?
        /// The channel on which a node was heard.
        var channel: Int?
        /// The channel of its position, if a firing says where it is.
        var placeChannel: Int?
        /// A problem's name.
        var name: String?
        /// What `status` says of a problem, or both names of a node that has another one.
        var text: String?
        /// What people call the radio; nil if nobody has to be told which one.
        var radio: String?
        /// Since when a radio was away, in host milliseconds.
        var since: Int64?
    }

    /// The state holds.
    ///
    /// - Parameters:
    ///   - at: since when, in host milliseconds.
    ///   - isKnown: it held before the rule was read.
    mutating func begin(
        _ index: Int, _ subject: Subject, _ matter: Matter, at time: Int64, isKnown: Bool = false,
        _ facts: any RuleFacts, now: Moment
    ) throws {
        let rule = active[index].rule
        let key = Key(rule: rule.name, subject: subject)
        guard episodes[key] == nil else { return }
        var episode = Episode(rule.name, subject.text, in: matter.source, at: time, value: matter.value)
        episode.isWaiting = !isKnown && !isOpen(rule, matter.source, at: now)
        if isKnown || episode.isWaiting {
            if rule.when.isState { miss(index, subject, isKnown ? .known : .gate, matter, at: time) }
            return set(episode, key)
        }
        episode.toldAt = now.at
        set(episode, key)
        // These report only the end.
        guard rule.when.isState else { return }
        tell(
            index, Telling(.begins, subject, matter, episode), key: "\(subject.text) begins \(episode.beganAt)",
            at: time,
            now: now)
    }

    /// The state no longer holds.
    ///
    /// - Parameter isNews: it ends just now.
    mutating func end(
        _ key: Key, _ matter: Matter, isNews: Bool = true, at time: Int64, now: Moment
    ) {
        guard let episode = episodes.removeValue(forKey: key) else { return }
        outcome.episodes.insert(key)
        guard !episode.isWaiting, let index = active.firstIndex(where: { $0.rule.name == key.rule }) else { return }
        let rule = active[index].rule
        let id = "\(key.subject.text) ends \(episode.beganAt)"
        if !rule.when.isState {
            if isNews { tell(index, Telling(nil, key.subject, matter, episode), key: id, at: time, now: now) }
        } else if rule.tellsEnd, episode.toldAt != nil {
            tell(index, Telling(.ends, key.subject, matter, episode), key: id, at: time, now: now)
        }
    }

    mutating func set(_ episode: Episode, _ key: Key) {
        episodes[key] = episode
        outcome.episodes.insert(key)
    }

    /// In an order that does not change from run to run. Only what is found is sorted: hundreds may last.
    func open(_ test: (Key, Episode) -> Bool) -> [Key] {
        var found: [Key] = []
        for (key, episode) in episodes where test(key, episode) { found.append(key) }
        return found.sorted {
            $0.rule == $1.rule ? $0.subject.text < $1.subject.text : $0.rule < $1.rule
        }
    }

    // MARK: time

    /// Begins what waited for its gate.
    mutating func openGates(_ facts: any RuleFacts, at now: Moment) throws {
        for key in open({ _, episode in
            episode.isWaiting && rule(episode.rule).map { isOpen($0, episode.source, at: now) } == true
        }) {
            guard var episode = episodes[key], let index = active.firstIndex(where: { $0.rule.name == key.rule }) else {
                continue
            }
            (episode.isWaiting, episode.beganAt, episode.toldAt) = (false, now.at, now.at)
            set(episode, key)
            guard active[index].rule.when.isState else { continue }
            tell(
                index, Telling(.begins, key.subject, try matter(of: episode, key.subject, facts), episode),
                key: "\(key.subject.text) begins \(now.at)", at: now.at, now: now)
        }
    }

    mutating func repeatWhatLasts(_ facts: any RuleFacts, at now: Moment) throws {
        guard active.contains(where: { $0.rule.repeats != nil }) else { return }
        for key in open({ _, episode in isToRepeat(episode, at: now) }) {
            guard var episode = episodes[key], let told = episode.toldAt,
                let index = active.firstIndex(where: { $0.rule.name == key.rule }),
                let repeats = active[index].rule.repeats
            else { continue }
            // From the deadline, not from when it was met.
            let due = told + repeats
            episode.toldAt = max(due, now.at - repeats + 1)
            set(episode, key)
            tell(
                index, Telling(.lasts, key.subject, try matter(of: episode, key.subject, facts), episode),
                key: "\(key.subject.text) lasts \(due)", at: now.at, now: now)
        }
    }

    private func isToRepeat(_ episode: Episode, at now: Moment) -> Bool {
        guard let told = episode.toldAt, let rule = rule(episode.rule), let repeats = rule.repeats else { return false }
        return told + repeats <= now.at && isOpen(rule, episode.source, at: now)
    }

    private func matter(of episode: Episode, _ subject: Subject, _ facts: any RuleFacts) throws -> Matter {
        var matter = Matter(source: episode.source, value: episode.value)
        switch subject {
        case .node(let number): matter.node = try facts.node(number, in: episode.source)
        case .radio:
            if let number = try facts.source(episode.source)?.nodeNumber {
                matter.node = try facts.node(number, in: episode.source)
            }
            matter.radio = try facts.radioName(of: episode.source)
        case .problem(let source, let name): matter = try facts.matter(ofProblem: name, in: source)
        case .gateway: break
        }
        matter.channel = matter.node?.channel
        return matter
    }

    /// Why the rule does not count a node.
    func failed(
        _ rule: Rule, _ node: Node, _ channel: Int?, _ source: SourceID, _ facts: any RuleFacts, isOwn: Bool = false
    ) throws -> FailedCondition? {
        guard let found = try facts.source(source) else { return .radio }
        if isOwn { return rule.conditions.failed(in: found) }
        let names = rule.conditions.channels.isEmpty ? [:] : try facts.channelNames(in: source)
        return try rule.conditions.failed(for: node, on: channel, in: found, channels: names)
            ?? rule.conditions.failed(hops: node.hopsAway, viaMQTT: node.viaMQTT ?? false)
            ?? rule.conditions.failed(snr: node.snr)
            ?? rule.conditions.failed(asKnown: node, facts)
    }
}

/// What a source is called to which nobody has given a name, as ``Gateway`` has it.
private let unnamed = "Default"

extension RuleFacts {
    /// - Parameter text: what `status` says of it, if it is over.
    func matter(ofProblem name: String, in source: SourceID, text: String? = nil) throws -> Engine.Matter {
        var matter = Engine.Matter(source: source, name: name, text: text ?? advice(onProblem: name, of: source))
        if source != .gateway, try sources().count(where: \.source.isEnabled) > 1 {
            matter.radio = try radioName(of: source)
        }
        return matter
    }

    /// - Parameter time: since when it was away, in host milliseconds.
    func matter(ofRadio source: SourceID, since time: Int64? = nil) throws -> Engine.Matter {
        Engine.Matter(source: source, radio: try radioName(of: source), since: time)
    }

    /// What people call a radio: its source's name if they gave it one, else its own; nil if it has none.
    func radioName(of id: SourceID) throws -> String? {
        guard let source = try source(id) else { return nil }
        if source.name != unnamed { return source.name }
        return try source.nodeNumber.flatMap { try node($0, in: id) }.flatMap { $0.nickname ?? $0.longName }
    }
}

extension Conditions {
    /// Whether a node is known for long enough, whichever radios heard it. It does not become known by being silent.
    func failed(asKnown node: Node, _ facts: any RuleFacts) throws -> FailedCondition? {
        guard let known, try !facts.isOwn(node.number) else { return nil }
        var (first, last) = (node.createdAt, (node.lastHeard ?? 0) * 1000)
        for found in try facts.sources() {
            guard let other = try facts.node(node.number, in: found.id) else { continue }
            if other.isFavorite { return nil }
            guard let heard = other.lastHeard else { continue }
            (first, last) = (min(first, other.createdAt), max(last, heard * 1000))
        }
        return last - first >= known ? nil : .stranger(since: first)
    }

    func isOf(_ source: SourceID, _ facts: any RuleFacts) throws -> Bool {
        if radios.isEmpty { return true }
        return try facts.source(source).map { failed(in: $0) == nil } ?? false
    }
}
