import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// A client edits, and the radio restarts as it was told in the middle of it, which forgets what was not committed. The commit
/// never comes. Others may edit as soon as the radio is back, and what was written in the lost edit is written no more.
@Suite struct ACommitThatNeverComesKeepsNobodyOut {
    /// The radio has left in the middle of the phone's edit.
    private func restarting() throws -> (test: TestGateway, phone: Administrator) {
        let test = try TestGateway()
        test.radio.keepAdminPackets()
        let phone = Administrator(sender: Sender(.share, "192.0.2.1"), test: test)
        try phone.tell(Administrator.begin)
        try phone.tell(Administrator.removal(of: alice))
        try phone.tell(Administrator.reboot)
        test.radio.unplug()
        try test.waitForLoss()
        return (test, phone)
    }

    private func comeBack(_ test: TestGateway) throws {
        test.radio.replug()
        try test.waitUntilLive(count: 2)
    }

    private func orders(_ test: TestGateway, after count: Int) -> [[UInt8]] {
        test.radio.received.dropFirst(count).compactMap { $0.decoded?.payload }
    }

    @Test func itsOwnerStaysAndSaysNothing() throws {
        let (test, phone) = try restarting()
        let radio = test.gateway.radios.all[0]
        let ends = try #require(radio.administration.editEnds)
        try comeBack(test)
        let before = test.radio.received.count
        let other = Administrator(sender: Sender(.share, "192.0.2.2"), test: test)
        let whatOthersDo = [Administrator.begin, Administrator.removal(of: bob), Administrator.commit]
        for order in whatOthersDo { try other.tell(order) }
        #expect(orders(test, after: before) == whatOthersDo)
        // Its settings are read again after a commit.
        try test.waitUntilLive(count: 3)
        // A minute after it began there is no edit left to go on with: a commit that comes then has nothing to end.
        _ = radio.expire(at: ends)
        #expect(try phone.give(Administrator.commit).error() == RoutingError.none)
        _ = try test.sendAndHand("last")
        #expect(orders(test, after: before) == whatOthersDo + [Array("last".utf8)])
    }

    @Test func itsOwnerLeaves() throws {
        let (test, phone) = try restarting()
        test.gateway.endEdit(by: phone.sender, of: try test.source)
        #expect(test.gateway.radios.all[0].administration.lostEdit(of: phone.sender) == nil)
        try comeBack(test)
        let before = test.radio.received.count
        // Whoever comes from the same address later has begun nothing.
        #expect(try phone.give(Administrator.commit).error() == RoutingError.none)
        try phone.tell(Administrator.removal(of: bob))
        #expect(orders(test, after: before) == [Administrator.removal(of: bob)])
    }
}
