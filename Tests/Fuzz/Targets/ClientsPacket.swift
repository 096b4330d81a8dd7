import MeshModel
import MeshProtocol

/// A packet as a client of the radio writes it.
///
/// What the gateway edits in it must be what it then says, all else must stay, and what the C library reads of it must be
/// the same.
final class ClientsPacket: FuzzTarget {
    func run(_ input: [UInt8]) throws {
        _ = ClientPacket(inToRadio: input)
        guard let packet = ClientPacket(input) else { return }
        try check(packet.toRadio.suffix(input.count) == input[...], "its bytes are changed")
        try check("\(packet)" == "a client's packet", "it is described as \(packet)")
        let edited = packet.sent(from: NodeNumber(7), id: 9).limitingHops().withoutReception
        try check(edited.from == NodeNumber(7) && edited.id == 9 && edited.hopLimit <= 7, "an edit is not in it")
        try check(edited.to == packet.to && edited.content?.payload == packet.content?.payload, "an edit changes more")
        try check(edited.toRadio.count <= 512, "a frame of \(edited.toRadio.count) bytes")
        guard let shown = edited.shown else { return }
        try check(
            shown.from == edited.from && shown.to == edited.to && shown.id == edited.id, "it reads as another one")
        try check(shown.decoded?.port == edited.content?.port, "its port reads as another one")
        try check(shown.rxTime == nil && shown.rxRSSI == nil && !shown.viaMQTT, "it was received")
        guard let port = shown.decoded?.port else { return }
        let payload = port == .admin ? [] : edited.content?.payload
        try check(shown.decoded?.payload == payload, "its payload reads as another one")
        _ = edited.echo(rxTime: 1)
    }
}
