import Foundation
import Testing

@testable import ServedProgram

/// Two gateways have one conversation, which one keeps by the API and the other by commands: it is made, written, changed and
/// removed, while gateways and their broker are restarted. After each step each has each text once, its own as well.
@Test(arguments: [(isOld: false, isJSON: false), (false, true), (true, false), (true, true)])
func twoHousesTalkOverABroker(isOld: Bool, isJSON: Bool) throws {
    let broker = try PersistentBroker()
    try broker.start()
    // One of MQTT 3.1.1 closes the connection at a CONNECT of MQTT 5.
    let gate = try BrokerProxy(to: broker.port) { packet in
        let bytes = Array(packet.prefix(9))
        return !isOld || bytes[0] >> 4 != 1 || bytes.count < 9 || bytes[8] != 5
    }
    let (hut, hall) = (try TalkingDaemon("hut", at: gate.port), try TalkingDaemon("hall", at: gate.port))
    try hut.start()
    try hall.start()
    try hut.addConversation(isJSON: isJSON)
    try hall.type(
        "conversation add club --broker house --filter club/# --topic club/talk --from hall\(isJSON ? " --json" : "")")
    try hall.waitUntilConnected()
    usleep(300_000)

    var said: [String] = []
    func say(_ text: String, in house: TalkingDaemon) throws {
        said.append(text)
        if house === hut { try house.say(text) } else { try house.type("send \(text) --to mqtt:club") }
    }
    func haveAll(_ houses: TalkingDaemon...) throws {
        for house in houses {
            try house.gateway.eventually("\(house.name) has \(said), and not \(house.texts)") {
                house.texts.sorted() == said.sorted() && house.waiting == 0
            }
        }
    }
    try say("one", in: hut)
    try haveAll(hut, hall)
    try say("two", in: hall)
    try haveAll(hut, hall)

    // One house is away, then the broker is.
    try hut.stop()
    try say("three", in: hall)
    try haveAll(hall)
    try hut.start()
    try haveAll(hut)
    broker.stop()
    try say("four", in: hut)
    try say("five", in: hall)
    try broker.start()
    try haveAll(hut, hall)
    for house in [hut, hall] { try house.waitUntilConnected() }

    // Other topics: what stands on them is read, and what stood on the old ones is not.
    try hut.type("conversation edit club --filter news/+ --topic news/hut")
    try hall.type("conversation edit club --filter club/talk --filter news/#")
    for house in [hut, hall] { try house.waitUntilConnected() }
    usleep(500_000)
    try say("six", in: hut)
    try haveAll(hut, hall)
    try hall.type("send hidden --to mqtt:club")
    try hall.gateway.eventually("it has gone out") { hall.waiting == 0 }

    // Removed and made again it is empty, and the other house keeps what it has.
    try hall.type("conversation remove club")
    try say("seven", in: hut)
    try haveAll(hut)
    try hall.addConversation(isJSON: isJSON)
    #expect(hall.texts.isEmpty)
    try hall.type("conversation edit club --filter news/hut")
    try hall.waitUntilConnected()
    usleep(500_000)
    try say("eight", in: hut)
    try haveAll(hut)
    try hall.gateway.eventually("the first text of the new one, and not \(hall.texts)") { hall.texts == ["eight"] }
    for house in [hut, hall] { try house.stop() }
    sleep(1)
    #expect(hut.texts.sorted() == said.sorted() && hall.texts == ["eight"])
}
