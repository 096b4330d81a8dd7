import HTTPServer
import Routes
import Testing

@testable import RestAPI

/// Strangers may ask for the documents as often as they like: that takes no processor time, and memory only meanwhile.
@Suite struct TheDocumentIsMadeOnce {
    /// The page is embedded as it is sent.
    private static let paths = TheDocumentIsForEverybody.paths.filter { $0 != "/api/v1/docs" }

    /// The same bytes at the same place: two that are alive at once are one.
    private func place(_ answer: Answer) -> UnsafePointer<UInt8>? {
        guard case .bytes(let bytes) = answer.response.body else { return nil }
        return bytes.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test(arguments: paths) func whoeverAsksGetsTheSameBytes(_ path: String) throws {
        let test = try TestGateway()
        let answers = try (0..<3).map { _ in try test.ask("GET", path) }
        #expect(place(answers[0]) != nil)
        #expect(Set(answers.map(place)).count == 1)
        let local = try test.ask("GET", path, peer: .local(user: 0, group: 0, process: 1))
        #expect(place(local) == place(answers[0]))
    }

    /// Nobody has asked for a minute: its tag is still known, and its length.
    @Test(arguments: zip(paths, ["openapi.json ", "openapi.yaml "]))
    func whoNeedsNoBytesHasNoneMade(_ path: String, _ name: String) throws {
        let test = try TestGateway()
        let first = try test.ask("GET", path)
        let tag = try #require(first.header("ETag"))
        test.api.documents.release(now: .max)
        func isMade() -> Bool {
            test.api.documents.known(name) {
                Issue.record("\(name) is not known")
                return []
            }.bytes != nil
        }
        #expect(!isMade())
        let head = try test.ask("HEAD", path)
        #expect(head.status == 200 && head.header("ETag") == tag)
        guard case .stream(let length, _) = head.response.body else {
            Issue.record("HEAD has a body that was made")
            return
        }
        #expect(length == UInt64(first.body.count))
        let known = try test.ask("GET", path, headers: [(name: "If-None-Match", value: tag)])
        #expect(known.status == 304)
        #expect(!isMade())
        let other = try test.ask("GET", path, headers: [(name: "If-None-Match", value: "\"another\"")])
        #expect(other.status == 200 && other.body == first.body && other.header("ETag") == tag)
        #expect(isMade())
    }

    @Test func itIsKeptForAMinuteAfterTheLastRequest() {
        let documents = KeptDocuments()
        let second: UInt64 = 1_000_000_000
        func ask(at time: UInt64) -> Bool {
            var isMade = false
            _ = documents.whole("a", now: time) {
                isMade = true
                return [1, 2, 3]
            }
            return isMade
        }
        #expect(ask(at: second))
        documents.release(now: 60 * second)
        #expect(!ask(at: 60 * second))
        documents.release(now: 119 * second)
        #expect(!ask(at: 119 * second))
        documents.release(now: 179 * second)
        #expect(ask(at: 180 * second))
    }

    /// What it says of its base does not depend on who asked first.
    @Test func eachBaseHasItsOwn() throws {
        var policy = ClientPolicy()
        policy.basePath = "/mesh"
        let test = try TestGateway(policy: policy)
        let local = try test.ask("GET", "/api/v1/docs/openapi.json", peer: .local(user: 0, group: 0, process: 1))
        let other = try test.ask("GET", "/mesh/api/v1/docs/openapi.json")
        #expect(local.status == 200 && other.status == 200)
        #expect(local.header("ETag") != other.header("ETag"))
        #expect(other.text.contains(#""url":"/mesh""#) && !local.text.contains(#""url":"/mesh""#))
    }
}
