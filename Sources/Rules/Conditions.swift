import MeshModel
import Search
import Store

/// What else must be so when a rule's trigger has come. Each that is set must hold.
struct Conditions: Hashable, Sendable {
    enum Way: String, CaseIterable, Sendable { case radio, mqtt }

    struct Nodes: Hashable, Sendable {
        var isOthers = false
        var areFavourites = false
        /// Ids, long and short names; names in any letter case.
        var names: [String] = []

        func contains(_ node: Node) -> Bool {
            let isNamed = areFavourites && node.isFavorite || names.contains { node.isCalled($0) }
            return isNamed != isOthers
        }
    }

    var nodes: Nodes?
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
    var countsTapbacks = false

    /// Who looks for something wants to hear it wherever it is, also where others are muted.
    var hearsMuted: Bool { !words.isEmpty || pattern != nil }
}

extension Node {
    fileprivate func isCalled(_ name: String) -> Bool {
        if let number = NodeNumber(id: name) { return number == self.number }
        let folded = name.lowercased()
        return [longName, shortName, nickname].contains { $0?.lowercased() == folded }
    }

    /// As people here call it.
    var shown: String { nickname ?? longName ?? number.placeholderLongName }
}

/// Why a rule whose trigger has come does not fire.
enum FailedCondition: Hashable, Sendable {
    case node, channel, hops, role, way, radio, words, ignored, pattern, tapback, mute, place, distance, episode
}

extension Conditions {
    /// Nil: all of them hold for the node. Of what a message brings see ``failed(for:of:channels:isMuted:)``.
    func failed(for node: Node, on channel: Int?, in source: Source, channels names: [Int: String]) -> FailedCondition?
    {
        if node.isMuted, !hearsMuted { return .mute }
        if node.isIgnored { return .node }
        if let nodes, !nodes.contains(node) { return .node }
        if !radios.isEmpty, failed(in: source) != nil { return .radio }
        if !self.channels.isEmpty, !Self.matches(self.channels, channel ?? 0, names) { return .channel }
        if !roles.isEmpty, !roles.contains(node.role ?? 0) { return .role }
        return nil
    }

    /// Of what came from a node some way.
    func failed(hops: UInt32?, viaMQTT: Bool, isDirectMessage: Bool = false) -> FailedCondition? {
        if let wanted = self.hops, hops.map(wanted.contains) != true { return .hops }
        switch way {
        case nil where viaMQTT && !isDirectMessage: return .way
        case .radio? where viaMQTT: return .way
        case .mqtt? where !viaMQTT: return .way
        default: return nil
        }
    }

    func failed(in source: Source) -> FailedCondition? {
        let name = source.name.lowercased()
        return radios.isEmpty || radios.contains { $0.lowercased() == name || $0 == source.uuid } ? nil : .radio
    }

    /// - Parameter read: the same text as patterns read it, when it is there already.
    func failed(text: String, _ read: PatternText? = nil) -> FailedCondition? {
        if !words.isEmpty, !words.isIn(text) { return .words }
        if ignored.isIn(text) { return .ignored }
        if let pattern, !pattern.isIn(read ?? PatternText(text)) { return .pattern }
        return nil
    }

    /// Names of channels in any letter case, unless there is one of this very name.
    static func matches(_ wanted: [String], _ channel: Int, _ names: [Int: String]) -> Bool {
        wanted.contains { word in
            if let number = Int(word) { return number == channel }
            guard let name = names[channel] else { return false }
            return names.values.contains(word) ? name == word : name.lowercased() == word.lowercased()
        }
    }
}
