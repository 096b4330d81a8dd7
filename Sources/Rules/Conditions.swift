import MeshModel
import Search
import Store

/// What else must hold for a rule to fire once its trigger has come. Every condition that is set must hold.
struct Conditions: Hashable, Sendable {
    enum Way: String, CaseIterable, Sendable { case radio, mqtt }

    struct Nodes: Hashable, Sendable {
        var isNegated = false
        var areFavourites = false
        /// Ids, long and short names, nicknames; names in any letter case.
        var names: [String] = []

        func contains(_ node: Node) -> Bool {
            let isNamed = areFavourites && node.isFavorite || names.contains { node.isCalled($0) }
            return isNamed != isNegated
        }
    }

    var nodes: Nodes?
    /// Time between when a node was first and last heard, in milliseconds, from which on it counts; nil for any.
    var known: Int64?
    /// By number or name.
    var channels: [String] = []
    var hops: ClosedRange<UInt32>?
    /// Config.DeviceConfig.Role numbers.
    var roles: Set<UInt32> = []
    var way: Way?
    /// Names of sources.
    var radios: [String] = []
    var words = Words([String]())
    var ignored = Words([String]())
    var pattern: Pattern?
    var phrases = Phrases()
    /// Of the packet.
    var snr: SNRLimit?
    /// Only nodes that have told a name.
    var areNamed = false
    var countsTapbacks = false

    /// Rules that look for words also hear muted nodes and conversations.
    var hearsMuted: Bool { !words.isEmpty || readsTexts }

    /// A text has to be prepared for it.
    var readsTexts: Bool { pattern != nil || !phrases.isEmpty }
}

extension Node {
    func isCalled(_ name: String) -> Bool {
        if let number = NodeNumber(id: name) { return number == self.number }
        let folded = name.lowercased()
        return [longName, shortName, nickname].contains { $0?.lowercased() == folded }
    }

    /// It has told a name.
    var isNamed: Bool { longName != nil || shortName != nil }

    /// The name that people here know it by.
    var shown: String { nickname ?? longName ?? number.placeholderLongName }
}

/// Why a rule whose trigger has come does not fire.
enum FailedCondition: Hashable, Sendable {
    case node, ignoredNode, mutedNode, radio, words, ignored, pattern, phrase, tapback
    /// The node has told no name.
    case unnamed
    /// nil if unknown.
    case snr(Double?)
    case channel(Int)
    /// The node is not known for long enough: since when it is, in host milliseconds.
    case stranger(since: Int64)
    /// The value is beyond its limit for too short a time: since when, in host milliseconds.
    case brief(since: Int64)
    /// An event of this kind was told at this time, in host milliseconds.
    case coolDown(since: Int64)
    /// nil if unknown.
    case hops(UInt32?)
    case role(UInt32)
    case way(viaMQTT: Bool)
    /// Until when, in host milliseconds; nil if for good.
    case muted(until: Int64?)
    /// The message's sender is in doubt.
    case forged
    /// Another radio has known the node for longer.
    case knownElsewhere
    /// The radio's position is unknown.
    case noOwnPlace
    case noPlace
    /// Too far from the radio. Not how far: that would reveal where the radio is, which not every reader may know.
    case distance
    /// One report from the other side of a circle is not enough.
    case unconfirmed
    /// Some of the area in which it may be is not outside of the circle.
    case blurred
    /// It is nothing to act on.
    case unanswerable(Unanswerable)
    /// The same episode still lasts: when it began, in host milliseconds.
    case episode(since: Int64)
    /// It held already when the rule was read.
    case known
    /// The radio is away, the host's clock is not set, or the gateway has not run for long enough.
    case gate
}

extension Conditions {
    /// Checks a node; nil if all conditions hold. See ``failed(hops:viaMQTT:isDirectMessage:)`` for the way that something came,
    /// ``failed(snr:)`` for how well, and ``failed(text:_:)`` for its text.
    func failed(for node: Node, on channel: Int?, in source: Source, channels names: [Int: String]) -> FailedCondition?
    {
        if node.isMuted, !hearsMuted { return .mutedNode }
        if node.isIgnored { return .ignoredNode }
        if let nodes, !nodes.contains(node) { return .node }
        if areNamed, !node.isNamed { return .unnamed }
        if !radios.isEmpty, failed(in: source) != nil { return .radio }
        if !self.channels.isEmpty, !Self.matches(self.channels, channel ?? 0, names) {
            return .channel(channel ?? 0)
        }
        if !roles.isEmpty, !roles.contains(node.role ?? 0) { return .role(node.role ?? 0) }
        return nil
    }

    /// Checks the way that something came from a node.
    func failed(hops: UInt32?, viaMQTT: Bool, isDirectMessage: Bool = false) -> FailedCondition? {
        if let wanted = self.hops, hops.map(wanted.contains) != true { return .hops(hops) }
        switch way {
        case nil where viaMQTT && !isDirectMessage: return .way(viaMQTT: true)
        case .radio? where viaMQTT: return .way(viaMQTT: true)
        case .mqtt? where !viaMQTT: return .way(viaMQTT: false)
        default: return nil
        }
    }

    /// Checks how well a packet was received.
    func failed(snr: Double?) -> FailedCondition? {
        guard let limit = self.snr else { return nil }
        return snr.map(limit.holds) == true ? nil : .snr(snr)
    }

    func failed(in source: Source) -> FailedCondition? {
        let name = source.name.lowercased()
        return radios.isEmpty || radios.contains { $0.lowercased() == name || $0 == source.uuid } ? nil : .radio
    }

    /// - Parameter read: the text as prepared for patterns, if the caller has it.
    func failed(text: String, _ read: PatternText? = nil) -> FailedCondition? {
        if !words.isEmpty, !words.isIn(text) { return .words }
        if ignored.isIn(text) { return .ignored }
        guard readsTexts else { return nil }
        let read = read ?? PatternText(text)
        if let pattern, !pattern.isIn(read) { return .pattern }
        if !phrases.isEmpty, phrases.found(in: read) == nil { return .phrase }
        return nil
    }

    /// Channel names match in any letter case, unless a channel has exactly this name.
    static func matches(_ wanted: [String], _ channel: Int, _ names: [Int: String]) -> Bool {
        wanted.contains { word in
            if let number = Int(word) { return number == channel }
            guard let name = names[channel] else { return false }
            return names.values.contains(word) ? name == word : name.lowercased() == word.lowercased()
        }
    }
}
