import ControlAPI
import Foundation
import Glibc
import HTTPServer
import JSON
import Testing

@testable import RestAPI
@testable import Routes

@Suite struct LocalPathsExistOnlyOnTheLocalSocket {
    static let nobody: UInt32 = 65534
    static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    /// All of them, with something in the place of each parameter.
    static let paths = ControlEndpoints.all.filter { if case .local = $0.access { true } else { false } }
        .map { ($0.method.rawValue, $0.path.replacing(/\{[^}]*\}/, with: "!abcdef12")) }

    @Test func thereAreSome() { #expect(Self.paths.count > 20) }

    @Test func notOnTheNetwork() throws {
        let test = try TestGateway()
        for (method, path) in Self.paths {
            for headers in [[], [test.bearer]] {
                let answer = try test.ask(method, path, headers: headers)
                #expect(answer.status == 404)
                #expect(answer.message == "Cannot \(method) \(path)")
            }
        }
    }

    @Test func onlyForThoseWhoAreAdmitted() throws {
        let test = try TestGateway()
        let stranger = Peer.local(user: Self.nobody, group: Self.nobody, process: 1)
        for (method, path) in Self.paths {
            #expect(try test.ask(method, path, headers: [test.bearer], peer: stranger).status == 403)
        }
        // A stranger on the socket is as good as one on the network.
        #expect(try test.ask("GET", "/api/v1/nodes", peer: stranger).status == 401)
        #expect(try test.ask("GET", "/api/v1/nodes", headers: [test.bearer], peer: stranger).status == 200)
    }

    @Test func withoutATokenForTheDaemonsUser() throws {
        let test = try TestGateway()
        for path in ["/api/v1/nodes", "/api/v1/", "/api/v1/sources/\(test.uuid)/status"] {
            #expect(try test.ask("GET", path, peer: Self.me).status == 200)
        }
        #expect(try test.ask("GET", "/local/nothing", peer: Self.me).status == 404)
    }

    @Test func membersOfTheGroupAreAdmitted() {
        let admission = LocalAdmission(group: 4711)
        #expect(admission.admits(uid: Self.nobody, gid: 4711))
        #expect(!admission.admits(uid: Self.nobody, gid: 4712))
        #expect(admission.admits(uid: 0, gid: 4712))
        #expect(!LocalAdmission(group: nil).admits(uid: Self.nobody, gid: 4711))
    }

    @Test func theStatusTellsWhatIsGoingOn() throws {
        let test = try TestGateway()
        try test.insert("hello", packetID: 1, at: TestGateway.now)
        let answer = try test.ask("GET", "/local/status", peer: Self.me)
        let data = try answer.json
        let daemon = try #require(data["gateway"] as? [String: Any])
        #expect(daemon["version"] as? String == "1.2.3")
        #expect(daemon["pid"] as? Int32 == getpid())
        let database = try #require(data["database"] as? [String: Any])
        #expect(database["path"] as? String == test.folder + "/mesh.db")
        let (bytes, used) = (database["bytes"] as? Int ?? 0, database["usedBytes"] as? Int ?? 0)
        #expect(used > 0 && used <= bytes)
        #expect(database["limitBytes"] is NSNull)
        #expect(database["deletedRows"] as? Int == 0)
        #expect(database["oldestMessage"] as? String == ISO8601.text(TestGateway.now))
        for kind in ["Packet", "Telemetry", "Position"] { #expect(database["oldest" + kind] is NSNull) }
        let source = try #require((data["sources"] as? [[String: Any]])?.first)
        #expect(source["id"] as? String == test.uuid)
        #expect(source["device"] as? String == "auto")
        #expect(source["connected"] as? Bool == false)
        #expect(source["messages"] as? Int == 1)
        #expect(source["link"] as? String == "searching")
        #expect(
            try test.ask("GET", "/local/database", peer: Self.me).data["path"] as? String == test.folder + "/mesh.db")
    }
}
