import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// The shipped gateway on a radio whose mesh the test controls, and a token for it.
struct Mesh {
    let here: RadioHere
    let gateway: ServedGateway

    /// Ready to be asked. Without scopes the token is what its owner gets without asking for more.
    init(scopes: [String] = [], _ change: (inout SimulatorOptions) -> Void = { _ in }) throws {
        here = try RadioHere(change)
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen(port: 0))", in: Folders())
        try gateway.authorize(as: "client", scopes: scopes)
        try gateway.waitUntilLive()
        // Rows follow the link: a client that asks at once is shown some of the radio's nodes.
        let (client, count) = (gateway.client, here.radio.nodes.count { !$0.isForgotten } + 1)
        try gateway.eventually("\(count) nodes are rows") {
            try client.get("/api/v1/nodes").strict["data"]?.rows.count ?? 0 >= count
        }
        self.gateway = gateway
    }

    var radio: SimulatedRadio { here.radio }
    var client: Client { gateway.client }

    /// The same server, asked without or with another token.
    func client(token: String?) -> Client { Client(host: client.host, port: client.port, token: token) }

    /// A node of the cast that ``SimulatedNode`` describes.
    func cast(_ index: Int) -> NodeNumber { radio.nodes[index].number }

    /// Waits until a text with this packet id is a row.
    func waitForRow(_ packetID: PacketID, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try gateway.eventually("\(packetID) is a row", sourceLocation: sourceLocation) {
            try client.get("/api/v1/messages/\(packetID)").status == 200
        }
    }
}
