import Gateway
import MeshModel
import Routes
import Store

/// Which events somebody wants: `?kind=` (several, also with commas), `?node=`, `?channel=`, `?port=`, `?source=`.
///
/// A listener that names a node, a channel or a port gets only what concerns it.
struct EventFilter {
    let kinds: Set<Event.Kind>
    private let source: FoundSource?
    private let node: NodeNumber?
    private let channel: Int?
    private let ports: Set<PortNumber>?

    /// Without a word about it: the radio's debug output would drown everything else, and messages are in packets.
    static let usualKinds = Set(Event.Kind.allCases).subtracting([.debug, .message])

    init(_ question: LocalQuestion) throws {
        let request = question.request
        let words = request.query.filter { $0.key == "kind" }.flatMap { $0.value.split(separator: ",") }
        kinds = words.isEmpty ? Self.usualKinds : Set(try words.map { try Self.kind($0) })
        source = try request.queryValue("source").map { _ in try question.source() }
        let asked = request.queryValue("node"), channelAsked = request.queryValue("channel")
        // Names are looked up where the radio's are.
        let place = asked == nil && channelAsked == nil ? nil : try source ?? question.source()
        node = try asked.map { try question.node(named: $0, in: place!, allowsStranger: true).number }
        channel = try channelAsked.map { try question.channelNames(of: place!).index(named: $0) }
        ports = try request.queryValue("port").map { try Self.ports($0) }
    }

    private static func kind(_ word: Substring) throws(APIError) -> Event.Kind {
        if let kind = Event.Kind(rawValue: String(word)) { return kind }
        let words = Event.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw .badRequest("There is no kind of event \"\(word)\"; there are \(words)")
    }

    /// A number, or a name or its beginning: `text` is TEXT_MESSAGE_APP.
    private static func ports(_ word: String) throws(APIError) -> Set<PortNumber> {
        if let number = UInt32(word) { return [PortNumber(rawValue: number)] }
        let wanted = plain(word)
        let found = (0...511 as ClosedRange<UInt32>).map { PortNumber(rawValue: $0) }
            .filter { port in port.name.map { plain($0).hasPrefix(wanted) } ?? false }
        guard !wanted.isEmpty, !found.isEmpty else {
            throw .badRequest("There is no port \"\(word)\"; there are text, position, nodeinfo, telemetry, routing, …")
        }
        return Set(found)
    }

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

    func passes(_ event: Event, _ reader: Reader) throws -> Bool {
        guard kinds.contains(event.kind), source.map({ $0.id == event.source }) ?? true else { return false }
        guard node != nil || channel != nil || ports != nil else { return true }
        switch event.what {
        case .received(let packet, _), .sent(let packet): return passes(packet)
        case .message(let id), .delivery(let id, _):
            guard let message = try reader.message(id: id, in: event.source) else { return false }
            return passes(message)
        case .node(let number), .key(let number, _, _): return node == number && channel == nil && ports == nil
        default: return false
        }
    }

    private func passes(_ packet: MeshPacket) -> Bool {
        (node.map { packet.from == $0 || packet.to == $0 } ?? true)
            // The channel of a packet that nobody could decrypt is a hash.
            && (channel.map { packet.decoded != nil && packet.channel == $0 } ?? true)
            && (ports.map { ports in packet.decoded.map { ports.contains($0.port) } ?? false } ?? true)
    }

    private func passes(_ message: Message) -> Bool {
        (node.map { message.from == $0 || message.to == $0 } ?? true) && (channel.map { message.channel == $0 } ?? true)
            && (ports.map { $0.contains(message.port) } ?? true)
    }
}
