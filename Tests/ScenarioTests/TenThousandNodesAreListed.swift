import Foundation
import Testing

@Test func tenThousandNodesAreListed() throws {
    var gateway = try ServedGateway(device: "simulated:nodes=10000", in: Folders())
    try gateway.authorize()
    try gateway.eventually("all nodes are counted") {
        try gateway.client.get("/api/status").json["statistics"]["nodes"] == 10_001
    }
    let before = gateway.program.residentBytes
    for _ in 0..<3 {
        let list = try gateway.client.get("/api/v1/nodes")
        #expect(list.status == 200)
        #expect(list.headers["transfer-encoding"] == "chunked")
        #expect(list.body.count > 10_000_000)
        #expect(list.body.suffix(2) == Data("]}".utf8))
        #expect(list.body.occurrences(of: "{\"nodeNum\":") == 10_001)
    }
    // The list is more than ten megabytes; only a buffer of it is held at a time.
    #expect(gateway.program.residentBytes < before + 4_000_000)
    try gateway.program.stop()
}

extension Data {
    fileprivate func occurrences(of text: String) -> Int {
        let part = Data(text.utf8)
        var (count, rest) = (0, self[...])
        while let found = rest.range(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
