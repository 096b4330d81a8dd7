import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// meshmonitor-chat.el 1.2.0, and 1.0.0 with its flat paths.
@Suite struct EmacsChatsThroughTheGateway {
    private func start(_ mesh: Mesh, root: String = "/api/v1/sources/default") throws -> (EmacsChat, own: StrictJSON?) {
        let chat = EmacsChat(client: mesh.client, root: root)
        let status = try chat.get("/api/status", as: EmacsChat.status)
        return (chat, status["connection"]?["localNode"])
    }

    @Test(arguments: ["/api/v1/sources/default", "/api/v1"])
    func itStarts(root: String) throws {
        let mesh = try Mesh()
        let (chat, own) = try start(mesh, root: root)
        #expect(own?["nodeId"]?.string == mesh.radio.number.id)

        let nodes = try chat.get("\(root)/nodes", as: EmacsChat.nodes)["data"]?.rows ?? []
        #expect(nodes.count == mesh.radio.nodes.count + 1)
        // A node that Emacs takes for one with a key is one that it lets people write to.
        for node in mesh.radio.nodes {
            let row = try #require(nodes.first { $0["nodeId"]?.string == node.number.id })
            #expect((row["hasPKC"] == .bool(true)) == (node.publicKey != nil), "\(node.number.id)")
        }

        let channels = try chat.get("\(root)/channels", as: EmacsChat.channels)["data"]?.rows ?? []
        let shown = channels.filter { $0["role"] != .number("0") }
        #expect(shown.map { $0["id"] } == [.number("0"), .number("1"), .number("2")])
        // Emacs has no other name for a channel; the primary one of a fresh radio has none.
        #expect(shown.map { $0["name"]?.string } == ["LongFast", "Hikers", "Rescue"])
    }

    @Test func aChannel() throws {
        let mesh = try Mesh()
        let (chat, own) = try start(mesh)
        let hiker = mesh.cast(0)
        let question = mesh.radio.sendText(from: hiker, "Is anybody at the hut?")
        try mesh.waitForRow(question)

        var buffer = EmacsBuffer(chat, .channel(0), own: own)
        try buffer.load()
        #expect(buffer.lines.map(\.text) == ["Is anybody at the hut?"])

        // The cursor is a whole second, and one is added to it: a second text within that second is not lost.
        let second = mesh.radio.sendText(from: hiker, "Hello?")
        try mesh.waitForRow(second)
        try buffer.poll()
        #expect(buffer.lines.map(\.text) == ["Is anybody at the hut?", "Hello?"])

        let reply = try buffer.send("Yes, come in ☕", replyTo: Int(question))
        try buffer.react("🎉", to: Int(question))
        mesh.radio.sendText(from: hiker, "👍", replyID: PacketID(reply), isReaction: true)
        // The row of a text is older than the cursor by the time its state changes.
        try mesh.gateway.eventually("the tick is there") {
            try buffer.poll()
            return buffer.lines.contains { $0.packetID == reply && $0.icon == "✓" }
        }
        try mesh.gateway.eventually("the thumb is there") {
            try buffer.poll()
            return buffer.reactions[reply] != nil
        }
        // The own reaction is no line of its own and is there once.
        #expect(buffer.lines.map(\.text) == ["Is anybody at the hut?", "Hello?", "Yes, come in ☕"])
        #expect(buffer.reactions == [Int(question): ["🎉"], reply: ["👍"]])

        // Who opens it now sees the same.
        var other = EmacsBuffer(chat, .channel(0), own: own)
        try other.load()
        // Emacs sorts by whole seconds, so texts within one second come in either order.
        #expect(Set(other.lines) == Set(buffer.lines))
        #expect(other.reactions == buffer.reactions)
        // And nothing of it in another channel.
        #expect(try chat.messages("channel=1&limit=50").isEmpty)
        try mesh.gateway.program.stop()
    }

    @Test func aPerson() throws {
        let mesh = try Mesh()
        let (chat, own) = try start(mesh)
        let hiker = mesh.cast(0)
        // More than Emacs asks for, so that whatever is filtered after the limit is lost.
        for number in 1...60 { mesh.radio.sendText(from: mesh.cast(6), "Channel text \(number)") }
        var buffer = EmacsBuffer(chat, .person(hiker.id), own: own)
        try mesh.gateway.eventually("the channel is full") { try chat.messages("limit=200").count == 60 }
        try buffer.load()
        #expect(buffer.lines.isEmpty)

        let sent = try buffer.send("Are you there?")
        try mesh.gateway.eventually("the tick is there") {
            try buffer.poll()
            return buffer.lines.first?.icon == "✓"
        }
        let answer = mesh.radio.sendText(from: hiker, "On the summit", to: mesh.radio.number)
        try mesh.gateway.eventually("the answer is there") {
            try buffer.poll()
            return buffer.lines.count == 2
        }
        #expect(buffer.lines.map(\.packetID) == [sent, Int(answer)])
        #expect(buffer.lines.map(\.sender) == [mesh.radio.number.id, hiker.id])

        // Nobody is there, and nobody repeats it.
        var silent = EmacsBuffer(chat, .person(mesh.cast(2).id), own: own)
        _ = try silent.send("And you?")
        try mesh.gateway.eventually("the cross is there") {
            try silent.poll()
            return silent.lines.map(\.icon) == ["✗"]
        }

        // The lists of direct messages and of unread ones know them by their channel.
        let direct = try chat.messages("limit=200").filter { $0["channel"] == .number("-1") }
        #expect(direct.map { $0["text"]?.string } == ["And you?", "On the summit", "Are you there?"])
        try mesh.gateway.program.stop()
    }

    @Test func aLongTextAndARadioThatIsGone() throws {
        let mesh = try Mesh()
        let (chat, _) = try start(mesh)
        let words = (1...60).map { "word\($0)" }.joined(separator: " ")
        let split = try chat.post(["text": .string(words), "channel": 0]).read(
            as: .item(.object(["messageCount": .integer])), status: 202)["data"]
        #expect(split?["messageCount"] == .number("3"))
        // Without these keys Emacs draws no line of its own, and takes the parts from the next poll.
        #expect(split?["requestId"] == nil)
        #expect(split?["messageId"] == nil)
        let tooLong = try chat.post(["text": .string(String(repeating: "x", count: 601)), "channel": 0])
        #expect(tooLong.status == 413)

        mesh.radio.unplug()
        try mesh.gateway.eventually("the radio is gone") { try !mesh.gateway.isConnected() }
        #expect(try chat.post(["text": "Hello?", "channel": 0]).status == 503)
        // Who reads is not disturbed by it, and still knows which messages are the own ones.
        let status = try chat.get("/api/status", as: EmacsChat.status)["connection"]
        #expect(status?["connected"] == .bool(false))
        #expect(status?["localNode"]?["nodeId"]?.string == mesh.radio.number.id)
    }

    /// The keys `t` and `p` come with a cookie instead of the token. Emacs takes any answer below 400 for success, and
    /// asks for a user name when a refused request names no other way than its own.
    @Test func theKeysTAndP() throws {
        let mesh = try Mesh()
        let (chat, _) = try start(mesh)
        let hiker = mesh.cast(0)
        let hello = try chat.client.get("\(chat.root)/nodes")
        let cookie = try #require(hello.headers["set-cookie"], "a client with a token is given no cookie")
        let attributes = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(attributes.contains("HttpOnly"))
        #expect(attributes.contains("SameSite=Strict"))
        let jar = try #require(attributes.first)

        let csrf = try chat.session("GET", "/api/csrf-token", cookie: jar)
            .read(as: .object(["csrfToken": .someText]))["csrfToken"]?.string
        let body: JSON = ["destination": .string(hiker.id)]
        let traced = try chat.session("POST", "/api/traceroute", cookie: jar, csrf: csrf, body: body)
        #expect(traced.status < 400, "\(traced.text)")
        let asked = try chat.session("POST", "/api/position/request", cookie: jar, csrf: csrf, body: body)
        #expect(asked.status < 400, "\(asked.text)")
        for port in [PortNumber.traceroute, .position] {
            let packet = mesh.radio.waitForPacket(timeout: Program.patience) {
                $0.to == hiker && $0.decoded?.port == port
            }
            #expect(packet?.decoded?.wantResponse == true, "\(port)")
        }
        try mesh.gateway.eventually("the way there and back is known") {
            try mesh.client.get("\(chat.root)/traceroutes").strict["data"]?.rows.first?["route"]?.inner != nil
        }

        let before = mesh.radio.received.count
        for (cookie, csrf) in [(nil, csrf), (jar, nil), (jar, "0123456789abcdef"), ("meshmonitor.sid=x", csrf)] {
            let refused = try chat.session("POST", "/api/traceroute", cookie: cookie, csrf: csrf, body: body)
            #expect([401, 403].contains(refused.status), "\(refused.text)")
            if refused.status == 401 { #expect(refused.headers["www-authenticate"]?.hasPrefix("Bearer") == true) }
        }
        // The cookie is good for nothing else.
        #expect(try chat.session("GET", "/api/v1/nodes", cookie: jar).status == 401)
        #expect(mesh.radio.received.count == before)
        try mesh.gateway.program.stop()
    }
}
