import Foundation
import MeshModel
import Platform
import RadioSimulator
@testable import Routes
import Synchronization
import Testing

@testable import Gateway
@testable import RestAPI

/// Twenty clients ask what only the radio knows, and others are answered meanwhile. Who waits is told after a while that it does not
/// say it.
@Suite struct ARadioThatIsSilentHoldsNobodyUp {
    enum Silence: CaseIterable { case live, configuring }

    private final class Begun: Sendable {
        let answer = Mutex<RawAnswer?>(nil)
    }

    @Test(arguments: Silence.allCases) func whileItIs(_ silence: Silence) throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let (test, gateway, id) = (live.test, live.test.gateway, live.test.id)
        let served = try ServedGateway(test, test.api)
        live.radio.misbehave(.silence)
        if silence == .configuring {
            try #require(gateway.radioFeeding(id)).readAgain()
            try #require(eventually { gateway.status(of: id).link == .configuring })
        }
        // Four of each token, sixteen in all.
        let tokens = try (0..<5).map { _ in try test.token(["admin"]) }
        let paths = ["self", "self", "self", "channels.svg"]
        let asked = tokens.flatMap { token in paths.map { (token, $0) } }
        let begun = asked.map { _ in Begun() }
        let threads = zip(asked, begun).map { asked, begun in
            Platform.Thread {
                let answer = try? served.ask(
                    "GET /api/v1/\(asked.1)", headers: ["Authorization: Bearer " + asked.0.text])
                begun.answer.withLock { $0 = answer }
            }
        }
        #expect(
            eventually {
                test.api.radioReadings.waitingCount == 16 || begun.allSatisfy { $0.answer.withLock { $0 != nil } }
            })
        for _ in 0..<3 { #expect(try served.ask("GET /api/health").status == 200) }
        // What needs no radio is answered before those.
        #expect(try served.ask("GET /api/v1/nodes", headers: [served.bearer]).status == 200)
        #expect(begun.contains { $0.answer.withLock { $0 == nil } })
        for thread in threads { thread.join() }
        for (asked, begun) in zip(asked, begun) {
            let answer = try #require(begun.answer.withLock { $0 })
            if asked.1 == "self" {
                #expect(answer.status == 200)
                #expect(answer.body.contains(#""channelUrl":null"#) && answer.body.contains(live.radio.number.id))
            } else if answer.header("Retry-After") != nil {
                #expect(answer.status == 503)
            } else {
                // Silent is as if it were away, as it was before; while it is configured nobody knows yet.
                #expect(answer.status == (silence == .live ? 503 : 504), "\(answer.text)")
            }
        }
    }

    /// Four of a token wait; the fifth is told to come back.
    @Test func theFifthOfATokenIsToldToComeBack() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let (test, token) = (live.test, try live.test.token(["admin"]))
        live.radio.misbehave(.silence)
        let threads = (0..<4).map { _ in Platform.Thread { _ = try? test.ask("GET", "/api/v1/channels.svg", as: token) }
        }
        #expect(eventually { test.api.radioReadings.waitingCount == 4 })
        let answer = try test.ask("GET", "/api/v1/channels.svg", as: token)
        #expect(answer.status == 503 && answer.header("Retry-After") == "5")
        #expect(try test.ask("GET", "/api/v1/self", as: token).data["channelUrl"] is NSNull)
        for thread in threads { thread.join() }
    }

    /// What is read is given again, unless something was written.
    @Test func aChangeIsSeenAtOnce() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let token = try live.test.token(["admin"])
        func link() throws -> String? {
            try live.test.ask("GET", "/api/v1/self", as: token).data["channelUrl"] as? String
        }
        let first = try #require(try link())
        #expect(try link() == first)
        _ = try live.test.gateway.change([("lora.hop_limit", "6")], isPreview: false, of: live.test.id)
        let second = try #require(try eventually { try link() != nil } ? try link() : nil)
        #expect(second != first)
    }
}
