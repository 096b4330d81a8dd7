import Testing

@testable import ServedProgram
@testable import StrictJSON

/// A script that reminds a festival of its programme: it posts to channel 1 and looks at no answer.
@Test func aReminderScriptSends() throws {
    let mesh = try Mesh()
    let texts = ["Main stage in 10 minutes 🎶", "Zelt 2: jetzt „Grüße“"]
    for text in texts {
        _ = try mesh.client.post("/api/v1/sources/default/messages", ["text": .string(text), "channel": 1])
    }
    let last = mesh.radio.waitForPacket(timeout: Program.patience) { $0.decoded?.payload == Array(texts[1].utf8) }
    #expect(last?.to.isBroadcast == true)
    #expect(last?.channel == 1)
    #expect(mesh.here.texts == texts)
}
