import Folders

// What a template may be filled with. None of it says where a radio is, or how far away a node is.

/// A name in braces.
enum TemplateName: String, CaseIterable, Sendable {
    case node, short, id, hops, snr, rssi, channel, radio, relay, time, date, value, nodes, direct, uptime, version
    // MeshMonitor's, of which we have no word of our own.
    case rabbits = "RABBIT_HOPS"
    case known = "TOTALNODES"
    case transport = "TRANSPORT"

    /// What MeshMonitor calls the others.
    private static let synonyms: [String: TemplateName] = [
        "LONG_NAME": .node, "SHORT_NAME": .short, "NODE_ID": .id, "HOPS": .hops, "NUMBER_HOPS": .hops, "SNR": .snr,
        "RSSI": .rssi, "LAST_HOP": .relay, "CHANNEL": .channel, "DATE": .date, "TIME": .time, "NODECOUNT": .nodes,
        "ONLINENODES": .nodes, "DIRECTCOUNT": .direct, "DURATION": .uptime, "VERSION": .version,
    ]

    init?(_ word: String) {
        guard let found = TemplateName(rawValue: word) ?? Self.synonyms[word] else { return nil }
        self = found
    }

    /// It needs a node, or what came from one.
    var isOfNode: Bool {
        switch self {
        case .node, .short, .id, .hops, .snr, .rssi, .relay, .rabbits, .transport: true
        case .channel, .radio, .time, .date, .value, .nodes, .direct, .uptime, .version, .known: false
        }
    }

    /// All words that mean something, our own first.
    private static var words: [String] { allCases.map(\.rawValue) + synonyms.keys.sorted() }

    private static let places: Set<String> = [
        "position", "place", "location", "lat", "lon", "lng", "latitude", "longitude", "altitude", "distance",
        "bearing",
    ]

    /// What is wrong with a word that means nothing.
    ///
    /// - Parameters:
    ///   - key: whose value has it.
    ///   - names: those of the rule's phrases.
    static func mistake(_ word: String, _ key: String, _ names: Set<String>) -> BadValue {
        let parts = word.lowercased().split { !$0.isLetter }.map(String.init)
        if parts.contains(where: places.contains) {
            return BadValue(
                "\(key) has \"{\(word)}\": no text says where a radio is, or how far away a node is; take it out")
        }
        if ["FEATURES", "IP", "PORT"].contains(word) {
            return BadValue("\(key) has \"{\(word)}\", which only MeshMonitor fills in; take it out")
        }
        if parts == ["traceroute"] || parts == ["route"] {
            return BadValue(
                "\(key) has \"{\(word)}\": no answer waits for a traceroute; {hops} and {relay} say how the text came")
        }
        let advice = nearestWord(to: word, among: words + names.sorted()).map { "did you mean \"{\($0)}\"?" }
        let known = allCases.map(\.rawValue).filter { $0 == $0.lowercased() } + names.sorted()
        return BadValue(
            "\(key) has \"{\(word)}\"; "
                + (advice ?? "it may have \(known.map { "{\($0)}" }.joined(separator: ", "))"))
    }
}
