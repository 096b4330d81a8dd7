import Foundation
import Glibc
import HTTPServer
import MeshModel
import Testing

@testable import RestAPI

/// 0 stands for "not known" in the protocol, in databases that were imported, and where a clock had not begun. A client that
/// takes it for a time says "56 years ago": every document has null there, or no value.
@Suite struct ATimeHeardIsNeverZero {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        try test.update(TestGateway.peer) { node in
            (node.longName, node.publicKey) = ("Ridge", PublicKey([UInt8](repeating: 9, count: 32)))
            (node.lastHeard, node.lastHeardRF, node.lastHeardMQTT, node.lastHeardUDP) = (0, 0, 0, 0)
        }
        try test.store.commit { writer in
            let heard = NeighborInfo(
                number: TestGateway.peer, lastSentBy: TestGateway.peer, broadcastInterval: 900,
                neighbors: [.init(number: NodeNumber(0x77), snr: -3.25, lastRxTime: 0)])
            try writer.replaceNeighbors(heard, in: id, at: TestGateway.now)
        }
        return test
    }

    /// Its name, and whether the document shows it as unknown; what has no rows of nodes is only looked through.
    @Test(
        arguments: [
            ("/api/v1/nodes", #""lastHeard":null"#), ("/api/v1/nodes?active=true", nil),
            ("/api/v1/nodes/!abcdef12", #""transportLastRf":null"#),
            ("/api/v1/nodes?fields=lastHeard", #""lastHeard":null"#),
            ("/api/v1/nodes/!abcdef12/key", nil), ("/api/v1/nodes/!abcdef12/details", nil),
            ("/api/v1/network/topology", #""lastHeard":null"#), ("/api/v1/network/direct-neighbors", nil),
            ("/api/v1/links", nil), ("/api/v1/conversations", nil), ("/api/v1/self", nil), ("/api/v1/status", nil),
            ("/api/v1/metrics", nil), ("/api/nodes", #""user""#), ("/api/sources/{source}/nodes", #""lastHeard":null"#),
            ("/api/sources/{source}/neighbor-info", nil),
            ("/api/neighbor-info?sourceId={source}", #""lastRxTime":null"#),
            ("/local/nodes", #""lastHeard":null"#), ("/local/nodes/!abcdef12", #""lastHeardRF":null"#),
            ("/local/keys", nil), ("/local/links", nil), ("/local/diagnosis", nil), ("/local/status", nil),
        ] as [(String, String?)])
    func inDocuments(_ target: String, _ unknown: String?) throws {
        let test = try gateway()
        let answer = try test.ask("GET", target.replacing("{source}", with: test.uuid), peer: Self.me)
        #expect(answer.status == 200, "\(answer.text)")
        lookThrough(answer.text, "\(target)")
        if let unknown { #expect(answer.text.contains(unknown), "\(answer.text)") }
    }

    @Test func inEvents() throws {
        let test = try gateway()
        let reader = try EventReader(test)
        _ = try reader.read()
        try test.update(TestGateway.peer, at: TestGateway.now + 1) { $0.longName = "Summit" }
        let told = try reader.read().filter { $0.kind == "node" }
        #expect(told.count == 1)
        for event in told { lookThrough(event.data, event.kind) }
    }

    private func lookThrough(_ text: String, _ place: String) {
        let zero = text.firstMatch(of: /"(lastHeard(RF|MQTT|UDP)?|transportLast\w+|lastRxTime)":0[,}]/)
        #expect(zero == nil, "\(place): \(zero?.0 ?? "")")
        #expect(!text.contains("1970-01-01"), "\(place)")
        #expect(text.firstMatch(of: /last_heard_timestamp_seconds\{[^}]*\} 0\n/) == nil, "\(place)")
    }
}
