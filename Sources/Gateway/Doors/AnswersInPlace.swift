import MeshModel
import MeshProtocol
import RadioLink
import Store

// What clients send to the radio that they take the gateway for, and what is answered in its place (SerialReference 12.2).
//
// | a client sends to the radio's number | its answer |
// |---|---|
// | a position, whatever its right | taken: several phones would make the node jump, and the gateway keeps place and time |
// | a question for telemetry | what the radio has said of itself lately: it answers one of all clients in ten seconds |

extension Gateway {
    /// What a client's packet for the mesh comes to without the radio. ``submit(_:by:right:to:done:)`` asks this first; a
    /// transport that answers its clients in the order in which they speak may do so itself.
    ///
    /// - Returns: nil: nobody but the radio can tell.
    public func answerInPlace(to packet: ClientPacket, right: ClientRight, of source: SourceID) -> Submission? {
        let content = packet.content
        if content?.port == .position, packet.to == number(of: source) { return .taken }
        guard right >= .send else { return .refused(.notAuthorized) }
        // A packet without an id gets it from the radio, and is answered with it.
        guard let content, content.port == .telemetry, content.wantsResponse, packet.id != 0,
            packet.to == number(of: source),
            case .telemetry(let wanted) = PacketContent(MeshData(port: .telemetry, payload: content.payload)),
            let told = frameListeners.telemetry(wanted.kind, by: packet.to, in: source, at: monotonic())
        else { return nil }
        return .answered(.telemetry, told)
    }

    /// The number of a source's radio, as far as anybody knows: also while it is away, or no link feeds the source.
    private func number(of source: SourceID) -> NodeNumber? {
        if let radio = radios.feeding(source)?.attachment.snapshot { return radio.number }
        return try? store.readCommitted { try $0.source(source)?.nodeNumber }
    }
}

/// What a radio has said of itself last, by the kind of telemetry.
struct OwnTelemetry: Sendable {
    /// For how many nanoseconds kept values are an answer. A radio sends its own to its host about as often.
    private static let lifetime: MonotonicTime = 60_000_000_000

    private var told: [Telemetry.Kind: (radio: NodeNumber, payload: [UInt8], at: MonotonicTime)] = [:]

    mutating func note(_ packet: MeshPacket, at now: MonotonicTime) {
        guard let data = packet.decoded, case .telemetry(let telemetry) = PacketContent(data) else { return }
        told[telemetry.kind] = (packet.from, data.payload, now)
    }

    /// - Parameter radio: another one may have been in its place.
    func payload(_ kind: Telemetry.Kind, by radio: NodeNumber, at now: MonotonicTime) -> [UInt8]? {
        guard let told = told[kind], told.radio == radio, now - min(told.at, now) < Self.lifetime else { return nil }
        return told.payload
    }
}
