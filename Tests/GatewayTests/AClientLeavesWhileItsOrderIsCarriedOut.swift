import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// The radio has been given an order and has not answered yet when its client goes. The order is carried out, the client's edit
/// ends behind it, and nobody edits in between.
@Test func aClientLeavesWhileItsOrderIsCarriedOut() throws {
    let test = try TestGateway()
    test.radio.keepAdminPackets()
    let phone = Administrator(sender: Sender(.share, "192.0.2.1"), test: test)
    let other = Administrator(sender: Sender(.share, "192.0.2.2"), test: test)
    let removal = Administrator.removal(of: alice)
    try phone.tell(Administrator.begin)
    let outcome = try phone.give(removal)
    let order = try phone.waitUntilGiven(removal, count: 2)
    let refused = try other.give(Administrator.begin)
    test.gateway.endEdit(by: phone.sender, of: try test.source)
    #expect(test.gateway.radios.all[0].administration.editor == phone.sender)

    try test.hear(.report(.none, on: order.id, from: own))
    #expect(outcome.error() == RoutingError.none)
    #expect(refused.error() == .notAuthorized, "the edit was still the other's")
    let commit = try phone.waitUntilGiven(Administrator.commit, count: 3)
    try test.hear(.report(.none, on: commit.id, from: own))
    // Its settings are read again.
    try test.waitUntilLive(count: 2)
    try other.tell(Administrator.begin)
    let told = test.radio.received.map { $0.decoded?.payload }
    #expect(told == [Administrator.begin, removal, Administrator.commit, Administrator.begin])
}
