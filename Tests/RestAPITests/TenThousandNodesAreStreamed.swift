import MeshModel
import Testing

@testable import RestAPI

@Suite struct TenThousandNodesAreStreamed {
    @Test func noChunkIsBig() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            for number in 1...10_000 {
                try writer.updateNode(NodeNumber(UInt32(number)), in: id, at: Int64(number)) { node in
                    node.longName = "Node number \(number) of a big mesh"
                    node.publicKey = PublicKey(Array(repeating: UInt8(number & 255), count: 32))
                }
            }
        }
        let answer = try test.get("/api/v1/nodes")
        #expect(try answer.json["count"] as? Int == 10_000)
        #expect(try answer.rows.map { $0["nodeNum"] as? Int } == Array((1...10_000).reversed()))
        #expect(answer.body.count > 10_000_000)
        #expect(answer.chunks.max()! < 256 * 1024)
    }
}
