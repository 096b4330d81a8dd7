import Foundation
import Gateway
import Glibc
import MeshModel
import RadioLink
import RadioSimulator
import Synchronization
import Testing

@testable import RestAPI

/// What the requests of a client become on the radio's line, field by field, as the official Python package decodes it
/// (Tests/OfficialCLI/decode-sent.py). A test of our own codec against itself would not notice a wrong field number.
@Suite struct TheOfficialProtobufsReadWhatIsSent {
    /// A cable to a simulated radio, which notes what the host writes.
    private final class Cable: Sendable {
        private let written = Mutex<[UInt8]>([])

        var bytes: [UInt8] { written.withLock { $0 } }

        /// - Returns: the host's end.
        func connect(to radio: SimulatedRadio) throws -> Int32 {
            let far = try radio.connect()
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            let near = ends[0]
            pass(from: near, to: far) { bytes in self.written.withLock { $0 += bytes } }
            pass(from: far, to: near) { _ in }
            return ends[1]
        }

        private func pass(from: Int32, to: Int32, _ note: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
            Thread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = Glibc.read(from, &buffer, buffer.count)
                    guard count > 0 else { break }
                    note(buffer[..<count])
                    var rest = buffer[..<count]
                    while !rest.isEmpty {
                        let sent = rest.withUnsafeBytes {
                            Glibc.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                        guard sent > 0 else { break }
                        rest = rest.dropFirst(sent)
                    }
                }
                shutdown(to, Int32(SHUT_RDWR))
            }.start()
        }
    }

    private func decoded(_ bytes: [UInt8], _ test: TestGateway) throws -> [String] {
        let file = test.folder + "/line"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3",
            tests.appendingPathComponent("OfficialCLI/decode-sent.py").path, file,
        ]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0,
            """
            \(output)
            (exit code 3: set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
            """)
        return output.split(separator: "\n").map(String.init)
    }

    @Test func fieldByField() throws {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates, options.region) = (0, 10, false, 3)
        let radio = try SimulatedRadio(options)
        radio.start()
        defer { radio.stop() }
        let cable = Cable()
        let test = try TestGateway(pace: SendingPace(text: 0, traceroute: 0, request: 0)) { delegate in
            RadioLink(
                address: .connection(name: "simulated"), connect: { try cable.connect(to: radio) }, delegate: delegate)
        }
        test.gateway.start()
        defer { test.gateway.stop() }
        let (gateway, source) = (test.gateway, test.id)
        try #require(eventually { gateway.status(of: source).link == .live })

        let (own, hiker, hut) = (radio.number, radio.nodes[0], radio.nodes[11])
        let (o, h) = (own.rawValue, hiker.number.rawValue)
        // Further away than the radio's packets go.
        try test.update(hut.number) { $0.hopsAway = 4 }
        let pinned = try #require(try test.store.read { try $0.node(hiker.number, in: source) }?.publicKey)
        let before = radio.received.count
        let long = [String(repeating: "x", count: 150), String(repeating: "y", count: 150)]
        for body in [
            #"{"text":"to all","channel":1}"#, #"{"text":"to one","toNodeId":"\#(hiker.number.id)"}"#,
            #"{"text":"a reply","channel":0,"replyId":4000000000}"#, #"{"text":"👍","channel":0,"replyId":7}"#,
            #"{"text":"👎","channel":0,"replyId":7,"emoji":0}"#,
            #"{"text":"\#(long.joined(separator: " "))","channel":0,"replyId":5}"#,
        ] { #expect([201, 202].contains(try test.post("/api/v1/messages", body).status), "\(body)") }
        for (action, node) in [
            ("traceroute", hut), ("request-position", hiker), ("request-nodeinfo", hiker), ("request-neighbors", hiker),
        ] {
            let answer = try test.post("/api/v1/actions/" + action, #"{"destination":"\#(node.number.id)"}"#)
            #expect(answer.status == 200, "\(answer.text)")
        }
        let mark = try test.ask(
            "POST", "/api/nodes/\(hiker.number.id)/favorite", as: try test.token(["nodes:write"]),
            #"{"sourceId":"default","isFavorite":true}"#)
        #expect(mark.status == 200)
        try #require(eventually { radio.received.count >= before + 12 }, "\(radio.received.count - before)")

        let lines = try decoded(cable.bytes, test)
        let key = pinned.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let ownKey = radio.publicKey.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = "data.portnum=TEXT_MESSAGE_APP data.payload"
        let (everybody, end) = ("from=\(o) to=4294967295", "id=* hop_limit=3 want_ack=True")
        for expected in [
            "\(everybody) channel=1 \(text)=to all \(end)",
            "from=\(o) to=\(h) \(text)=to one \(end) public_key=\(key) pki_encrypted=True",
            "\(everybody) \(text)=a reply data.reply_id=4000000000 \(end)",
            "\(everybody) \(text)=👍 data.reply_id=7 data.emoji=1 \(end)",
            "\(everybody) \(text)=👎 data.reply_id=7 \(end)",
            // The first part alone is the reply.
            "\(everybody) \(text)=\(long[0]) data.reply_id=5 \(end)", "\(everybody) \(text)=\(long[1]) \(end)",
            "from=\(o) to=\(hut.number.rawValue) data.portnum=TRACEROUTE_APP data.want_response=True id=* "
                + "hop_limit=5 want_ack=True",
            // Our own place with the 13 bits that the channel shares: the middle of a cell of 2^19.
            "from=\(o) to=\(h) data.portnum=POSITION_APP payload.latitude_i=\(901 << 19 | 1 << 18) "
                + "payload.longitude_i=\(217 << 19 | 1 << 18) payload.altitude=574 payload.time=* "
                + "payload.precision_bits=13 data.want_response=True \(end)",
            "from=\(o) to=\(h) data.portnum=NEIGHBORINFO_APP payload.node_id=\(o) payload.last_sent_by_id=\(o) "
                + "data.want_response=True \(end)",
            "from=\(o) to=\(o) data.portnum=ADMIN_APP payload.set_favorite_node=\(h) data.want_response=True id=*",
        ] { #expect(lines.contains(expected), "\(expected)\n\(lines.joined(separator: "\n"))") }
        // Our names and our key.
        let names = try #require(lines.first { $0.contains("NODEINFO_APP") })
        #expect(names.hasPrefix("from=\(o) to=\(h) data.portnum=NODEINFO_APP payload.id=\(own.id) payload.long_name="))
        #expect(names.contains(" payload.public_key=\(ownKey) "))
        #expect(names.hasSuffix("data.want_response=True \(end)"))
    }
}
