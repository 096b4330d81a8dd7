import Foundation
import Testing

@testable import ServedProgram

@Test func tenThousandNodesAreListed() throws {
    var gateway = try ServedGateway(device: "simulated:nodes=10000", in: Folders())
    try gateway.authorize()
    try gateway.eventually("all nodes are counted") {
        try gateway.client.get("/api/status").json["statistics"]["nodes"] == 10_001
    }
    try expectWholeList(gateway.client)
    // Everything has been used once.
    let before = gateway.program.residentBytes
    try expectWholeList(gateway.client)
    // The list is more than ten megabytes, and only a buffer of it is held at a time. On a slow machine a minute has gone by since the
    // first one, and what was given back to the kernel meanwhile is needed again.
    if !Program.isSanitized { #expect(gateway.program.residentBytes < before + 8_000_000) }
    try gateway.program.stop()
}

private func expectWholeList(_ client: Client) throws {
    let list = try client.get("/api/v1/nodes")
    #expect(list.status == 200)
    #expect(list.headers["transfer-encoding"] == "chunked")
    #expect(list.body.count > 10_000_000)
    #expect(list.body.suffix(2) == Data("]}".utf8))
    #expect(list.body.occurrences(of: "{\"nodeNum\":") == 10_001)
}

extension Data {
    fileprivate func occurrences(of text: String) -> Int {
        (self + [0]).withUnsafeBytes { bytes in
            var count = 0
            // Ends at the 0 behind the data.
            var rest = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            while let found = strstr(rest, text) {
                count += 1
                rest = UnsafePointer(found) + 1
            }
            return count
        }
    }
}
