import MeshModel
import Store

/// What a mesh did in a period.
struct Digest: Hashable, Sendable {
    var heard = 0
    var new: [Node] = []
    /// Heard in the period before, but not in this one.
    var silent: [Node] = []
    var texts = 0
    /// Percent, from the first radio that reports it.
    var channelUse: Double?

    /// How many nodes are named; the others are counted.
    private static let named = 5

    var title: String { "\(heard) node\(heard == 1 ? "" : "s") heard, \(texts) text\(texts == 1 ? "" : "s")" }

    var body: String {
        var lines: [String] = []
        if !new.isEmpty { lines.append("New: \(Self.names(new))") }
        if !silent.isEmpty { lines.append("Silent: \(Self.names(silent))") }
        if let channelUse { lines.append("Channel use: \(channelUse.shown) %") }
        return lines.joined(separator: "\n")
    }

    /// The nodes that it names.
    var nodes: [Node] { Array(new.prefix(Self.named)) + silent.prefix(Self.named) }

    private static func names(_ nodes: [Node]) -> String {
        let more = nodes.count - named
        return nodes.prefix(named).map(\.shown).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

extension RuleFacts {
    /// - Parameters: host milliseconds.
    func digest(since: Int64, until: Int64) throws -> Digest {
        var digest = Digest()
        for heard in try heardNodes() {
            let isHeard = heard.at >= since
            if isHeard { digest.heard += 1 }
            guard isHeard || heard.at >= since - (until - since), let node = try node(heard.number, in: heard.source)
            else { continue }
            if !isHeard { digest.silent.append(node) } else if node.createdAt >= since { digest.new.append(node) }
        }
        // The names of favourites come first, because the others may be only counted.
        digest.new = digest.new.filter(\.isFavorite) + digest.new.filter { !$0.isFavorite }
        digest.silent = digest.silent.filter(\.isFavorite) + digest.silent.filter { !$0.isFavorite }
        for found in try sources() {
            // Several radios hear the same texts.
            digest.texts = max(digest.texts, try textCount(in: found.id, since: since))
            guard digest.channelUse == nil, let number = found.source.nodeNumber else { continue }
            digest.channelUse = try node(number, in: found.id)?.channelUtilization
        }
        return digest
    }
}
