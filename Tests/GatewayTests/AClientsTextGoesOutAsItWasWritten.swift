import Foundation
import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization
import Testing

@testable import Gateway

/// A text of a client is a row, which holds what a text is made of. While it waits in memory it goes out as the client wrote
/// it, with what this program does not know.
@Suite struct AClientsTextGoesOutAsItWasWritten {
    private let phone = Sender(.share, "192.0.2.1")
    /// Field 99 of Data and field 98 of MeshPacket.
    private let inData: [UInt8] = [0x98, 6, 5]
    private let inPacket: [UInt8] = [0x90, 6, 7]

    /// "hi" under id 0x21.
    private func text(to node: NodeNumber = .broadcast, more: [UInt8] = []) throws -> ClientPacket {
        let data = [8, 1, 18, 2, 0x68, 0x69] + inData
        let number = (0..<4).map { UInt8(truncatingIfNeeded: node.rawValue >> (8 * $0)) }
        return try #require(
            ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data + [0x35, 0x21, 0, 0, 0] + inPacket + more))
    }

    private final class Writing: LinkTap {
        let frames = Mutex<[[UInt8]]>([])

        func opened(_ name: String, at now: MonotonicTime) {}
        func arrived(_ bytes: UnsafeRawBufferPointer) {}
        func decoded(_ output: StreamDecoder<FromRadio>.Output, at now: MonotonicTime) {}
        func handedOn() {}
        func wrote(_ bytes: [UInt8], at now: MonotonicTime) { frames.withLock { $0.append(Array(bytes.dropFirst(4))) } }
        func live(_ handshake: [[UInt8]], at now: MonotonicTime) {}
        func closed(_ reason: String, at now: MonotonicTime) {}

        /// The payloads of ToRadio with a text, oldest first, when there are so many: the radio has read a frame before its
        /// writer says so.
        func texts(count: Int = 1) -> [[UInt8]] {
            let limit = Date(timeIntervalSinceNow: 120)
            while true {
                let texts = frames.withLock { $0 }.filter { ClientPacket(inToRadio: $0)?.content?.port == .textMessage }
                if texts.count >= count || limit.timeIntervalSinceNow < 0 { return texts }
                usleep(5_000)
            }
        }
    }

    private func submit(_ packet: ClientPacket, to test: TestGateway) throws {
        test.gateway.submit(packet, by: phone, right: .send, to: try test.source) { _ in }
        try test.settle()
    }

    private func isWhole(_ frame: [UInt8]) -> Bool {
        frame.contains([18, 2, 0x68, 0x69] + inData) && frame.contains(inPacket)
    }

    @Test func overATransport() throws {
        let house = try House(right: .send)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let data = [8, 1, 18, 2, 0x68, 0x69] + inData
        house.send(
            bytes: [0x15, 0xff, 0xff, 0xff, 0xff, 0x22, UInt8(data.count)] + data + [0x35, 0x21, 0, 0, 0] + inPacket)
        let sent = try #require(house.waitForWritten { house.id(ofPacket: $0) == 0x21 })
        #expect(isWhole(sent))
        let read = try #require(ClientPacket(inToRadio: sent))
        #expect(read.from == house.radio.number && read.hopLimit == 3)
        // Others see it as it went out.
        _ = try #require(house.wait { $0.contains { house.packet($0)?.id == 0x21 && isWhole($0) } })
    }

    /// Its row is read anew in each handshake.
    @Test func afterTheRadioWasAway() throws {
        let tap = Writing()
        let test = try TestGateway(tap: tap)
        test.radio.unplug()
        try test.waitForLoss()
        try submit(text(), to: test)
        test.radio.replug()
        _ = test.radio.wait(for: 1)
        let sent = try #require(tap.texts().first)
        #expect(isWhole(sent) && ClientPacket(inToRadio: sent)?.from == own)
    }

    /// As another packet.
    @Test func whenItGoesOutAgain() throws {
        let tap = Writing()
        let test = try TestGateway(tap: tap)
        try submit(text(), to: test)
        _ = test.radio.wait(for: 1)
        try test.hear(.report(.rateLimitExceeded, on: 0x21, from: own))
        let again = try #require(test.radio.wait(for: 2).last)
        #expect(again.id != 0x21)
        let sent = try #require(tap.texts(count: 2).last)
        #expect(isWhole(sent) && ClientPacket(inToRadio: sent)?.id == again.id)
    }

    /// The pinned key is demanded, as of every text; bytes that are no key are not handed on.
    @Test(arguments: [[], [0x82, 1, 2, 0xde, 0xad]] as [[UInt8]])
    func underTheRecipientsKey(_ more: [UInt8]) throws {
        let tap = Writing()
        let test = try TestGateway(tap: tap)
        let user = User(id: alice.id, longName: "A", shortName: "al", publicKey: key(1), isUnmessagable: false)
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user)))
        try submit(text(to: alice, more: more), to: test)
        _ = test.radio.wait(for: 1)
        let sent = try #require(tap.texts().first)
        let packet = try #require(ClientPacket(inToRadio: sent))
        #expect(isWhole(sent) && packet.publicKey == key(1) && packet.isPKIEncrypted && packet.hopLimit == 3)
        #expect(!sent.contains([0xde, 0xad]))
    }

    /// Whoever decides about a key decides about what waits for it, whatever its client wrote.
    @Test func underTheKeyThatWasDecidedFor() throws {
        let tap = Writing()
        let test = try TestGateway(keyChange: .hold, tap: tap)
        let user = User(id: alice.id, longName: "A", shortName: "al", publicKey: key(1), isUnmessagable: false)
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user)))
        var other = user
        other.publicKey = key(2)
        try test.hear(.heard(.nodeInfo, other.encoded()))
        try submit(text(to: alice), to: test)
        _ = try test.gateway.decide(.accept, of: alice, by: .cli, in: test.source)
        _ = test.radio.wait(for: 1)
        let sent = try #require(tap.texts().first)
        #expect(isWhole(sent) && ClientPacket(inToRadio: sent)?.publicKey == key(2))
    }

    /// The row is what outlives the gateway: the text, without what nobody here knows.
    @Test func butNotAfterARestart() throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        try submit(text(), to: test)
        test.stop()
        let tap = Writing()
        let next = try TestGateway(folder: test.folder, tap: tap)
        let packet = try #require(next.radio.wait(for: 1).first)
        #expect(packet.id == 0x21 && packet.decoded?.payload == Array("hi".utf8))
        #expect(tap.texts().map(isWhole) == [false])
    }
}
