import Glibc
import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway

/// Eight clients wait for a radio whose cable is put into the gateway's second port: with packets that have no rows, and with
/// texts that are on their way to the disk meanwhile. All go out at the other port, once, and each client has its room back.
@Test func eightClientsPacketsGoWithTheRadioToAnotherPort() throws {
    let test = try SeveralRadios(["a": SeveralRadios.first, "b": nil])
    let source = try test.source("a")
    let clients = (1...8).map { (number: PacketID($0), sender: Sender(.share, "192.0.2.\($0)")) }
    let outcomes = Mutex<[Submission]>([])
    func submit(_ id: PacketID, port: UInt8, by sender: Sender) throws {
        let packet = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, port, 18, 1, 0x61]))
        test.gateway.submit(packet.sent(from: NodeNumber(0), id: id), by: sender, right: .send, to: source) { told in
            outcomes.withLock { $0.append(told) }
        }
    }
    func taken() -> Int { outcomes.withLock { $0.count { if case .queued = $0 { true } else { false } } } }
    /// As many as a radio of its own would take: five, and sixteen texts.
    let (others, texts) = (5 as PacketID, 16 as PacketID)

    // They are taken while nothing is given out: the writer holds the decision back, and the texts.
    let goOn = test.stopWriter()
    try test.readAgain("a")
    for (number, sender) in clients {
        for place in 1...others { try submit(number * 100 + place, port: 8, by: sender) }
        for place in 1...texts { try submit(number * 100 + 50 + place, port: 1, by: sender) }
        try submit(number * 100 + 99, port: 8, by: sender)
    }
    #expect(taken() == 8 * Int(others) && outcomes.withLock { $0.contains(.refused(.rateLimitExceeded)) })
    test.radio("a").unplug()
    for _ in 0..<60_000 where test.gateway.status(of: source).isConnected { usleep(1_000) }
    goOn()
    try test.waitForLoss("a", times: 1)
    #expect(taken() == 8 * Int(others + texts))

    test.radio("b").replug(SeveralRadios.first)
    try test.waitUntilAdopted("b")
    #expect(try test.source("b") == source)
    let given = test.radio("b").wait(for: 8 * Int(others + texts)).map(\.id)
    #expect(test.radio("a").received.isEmpty)
    for (number, sender) in clients {
        // One client's packets of a kind keep their order.
        let own = given.filter { $0 / 100 == number }
        #expect(own.filter { $0 % 100 < 50 } == (1...others).map { number * 100 + $0 })
        #expect(own.filter { $0 % 100 > 50 } == (1...texts).map { number * 100 + 50 + $0 })
        #expect(test.gateway.places(for: sender, of: source) == Int(texts))
        try submit(number * 100 + 98, port: 8, by: sender)
    }
    #expect(test.radio("b").wait(for: 8 * Int(others + texts + 1)).count == 8 * Int(others + texts + 1))
}
