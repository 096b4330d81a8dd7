import Foundation
import HTTPServer
import MeshModel
import Testing

@testable import Gateway
@testable import RestAPI

/// A node that came back under another number has its name twice.
@Suite struct ALiveNodeWinsItsName {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    private static let old = NodeNumber(0x0000_0004)
    private static let new = NodeNumber(0x7F58_C785)

    private func gateway(_ change: @escaping @Sendable (inout Node) -> Void = { _ in }) throws -> TestGateway {
        let test = try TestGateway()
        for number in [Self.old, Self.new] {
            try test.update(number) { node in
                (node.longName, node.shortName) = ("Dora", "D")
                node.pin(PublicKey((1...32).map { UInt8($0) })!)
            }
        }
        try test.update(Self.old) { node in
            node.successor = Self.new
            change(&node)
        }
        try test.update(Self.new) { $0.predecessor = Self.old }
        return test
    }

    private func node(_ test: TestGateway, _ name: String) throws -> Answer {
        try test.ask("GET", "/local/nodes/\(name)", peer: Self.me)
    }

    @Test(arguments: ["Dora", "dora", "D"]) func theLiveOneIsMeant(_ name: String) throws {
        let answer = try node(gateway(), name)
        #expect(answer.status == 200)
        #expect(answer.text.contains(Self.new.id), "\(answer.text)")
        // The one that it was before is named as well.
        #expect(answer.text.contains(Self.old.id), "\(answer.text)")
    }

    @Test func theOldOneIsFoundByItsId() throws {
        #expect(try node(gateway(), Self.old.id).text.contains("\"nodeId\":\"\(Self.old.id)\""))
    }

    @Test func twoThatAreBothHeardAreNamedByTheirIds() throws {
        let test = try gateway { $0.isKeyDuplicate = true }
        #expect(try node(test, "Dora").status == 409)
    }
}
