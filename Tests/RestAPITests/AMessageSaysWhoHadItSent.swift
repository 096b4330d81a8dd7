import Glibc
import HTTPServer
import MeshModel
import Store
import Testing

@testable import RestAPI
@testable import Routes

/// `sender` of a message's row: to a token its own name, of others what they are; their names to those who may read how the
/// gateway is set up, and to users of this machine.
@Suite struct AMessageSaysWhoHadItSent {
    private static let senders = ["rest:Alice's phone", "rest:Bob's phone", "cli", "share:192.0.2.7", nil]

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        for (index, sender) in Self.senders.enumerated() {
            try test.insert("\(index)", packetID: PacketID(10 + index), at: TestGateway.now + Int64(index)) {
                $0.isOwn = sender != nil
                $0.sender = sender.flatMap { Sender($0) }
            }
        }
        return test
    }

    private func token(_ test: TestGateway, _ name: String, _ scopes: [String] = []) throws -> APIToken {
        try TokenRegister(store: test.store).create(
            name: name, scopes: try Scopes(parsing: ["messages:read", "channel_0:read"] + scopes))
    }

    /// Oldest first; `-` for null.
    private func senders(_ answer: Answer) throws -> [String] {
        try answer.rows.reversed().map { $0["sender"] as? String ?? "-" }
    }

    @Test func toATokenItsOwnName() throws {
        let test = try gateway()
        let alice = try token(test, "Alice's phone")
        let bob = try token(test, "Bob's phone")
        let reader = try token(test, "Carol's phone", ["configuration:read"])
        #expect(
            try senders(test.ask("GET", "/api/v1/messages", as: alice)) == [
                "rest:Alice's phone", "rest", "cli", "share", "-",
            ])
        #expect(
            try senders(test.ask("GET", "/api/v1/messages", as: bob)) == [
                "rest", "rest:Bob's phone", "cli", "share", "-",
            ])
        let all = Self.senders.map { $0 ?? "-" }
        #expect(try senders(test.ask("GET", "/api/v1/messages", as: reader)) == all)
        let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
        #expect(try senders(test.ask("GET", "/api/v1/messages", peer: me)) == all)
        let one = try test.ask("GET", "/api/v1/messages/13", as: alice)
        #expect(try one.data["sender"] as? String == "share")
        #expect(!one.text.contains("192.0.2.7"))
    }

    /// Two tokens with the same scopes see different rows: what one of them knows is no answer to the other.
    @Test func anAnswerToOneIsNoneToAnother() throws {
        let test = try gateway()
        let alice = try token(test, "Alice's phone")
        let bob = try token(test, "Bob's phone")
        let tag = try #require(try test.ask("GET", "/api/v1/messages", as: alice).header("ETag"))
        let ask = { (token: APIToken) in
            try test.ask(
                "GET", "/api/v1/messages",
                headers: [
                    (name: "Authorization", value: "Bearer " + token.text), (name: "If-None-Match", value: tag),
                ])
        }
        #expect(try ask(alice).status == 304)
        #expect(try ask(bob).status == 200)
    }
}
