import Foundation
import MeshModel
import MeshProtocol
import Platform
import Testing

@testable import Gateway
@testable import RadioShare

/// There are eight places. One address may have them all while nobody else comes; then it makes room, one client at a time, the
/// last that came first, until the other has as many. That a client is silent is no reason to leave.
@Suite struct PlacesAreShared {
    private func addresses(_ house: SharedHouse, _ port: Int = 0) -> [String] {
        house.share.status[port].clients.map(\.address)
    }

    @Test func anAddressThatHasAllMakesRoom() throws {
        let house = try SharedHouse()
        // Eight who say one thing and never again.
        let all = try (0..<8).map { _ in try house.connected() }
        #expect(house.share.status[0].clients.count == 8)
        var others: [App] = []
        for count in 1...4 {
            others.append(try house.connected(from: 2))
            // The last of those that are left is gone, as a radio ends a connection; the others notice nothing.
            #expect(all[8 - count].waitForEnd() == .fin)
            #expect(eventually { addresses(house).count == 8 && addresses(house).count { $0 == "127.0.0.2" } == count })
        }
        // As many as the other has: the fifth is turned away, and so is one more of the first.
        let fifth = try house.connect(from: 2)
        #expect(fifth.waitForEnd() == .fin && fifth.frames.isEmpty)
        let back = try house.connect()
        #expect(back.waitForEnd() == .fin && back.frames.isEmpty)
        #expect(house.share.status[0].refusedConnections == 2)
        // A third address takes of either, the one who came last.
        let third = try house.connected(from: 3)
        #expect(others[3].waitForEnd() == .fin)
        for app in all.prefix(4) + others.prefix(3) + [third] { try app.settle() }
        #expect(house.logged.contains { $0.contains("127.0.0.1 makes room for another address") })
    }

    /// Eight addresses have one each: there is nothing to share. (Left open in the threat model.)
    @Test func eightAddressesAreLeftAlone() throws {
        let house = try SharedHouse()
        let apps = try (2...9).map { try house.connected(from: $0) }
        let ninth = try house.connect(from: 10)
        #expect(ninth.waitForEnd() == .fin && ninth.frames.isEmpty)
        for app in apps { try app.settle() }
    }

    /// What a client has written before it makes room counts.
    @Test func whatWasSaidBeforeCounts() throws {
        let house = try SharedHouse()
        _ = try (0..<7).map { _ in try house.connected() }
        let last = try house.connected()
        last.text(0x77, "before the end")
        _ = try house.connected(from: 2)
        #expect(last.waitForEnd() == .fin)
        #expect(eventually { !house.written(0x77).isEmpty })
    }

    /// One of the eight is for administrators, where they have a port.
    @Test func onePlaceIsForAdministrators() throws {
        let house = try SharedHouse([.read, .admin])
        let readers = try (0..<7).map { _ in try house.connected(0) }
        let eighth = try house.connect(0)
        #expect(eighth.waitForEnd() == .fin && eighth.frames.isEmpty)
        let admin = try house.connected(1)
        #expect(addresses(house, 0).count == 7 && addresses(house, 1).count == 1)
        // The second administrator is one of the same address: nobody has to leave for it. From another address one has.
        let second = try house.connect(1)
        #expect(second.waitForEnd() == .fin && second.frames.isEmpty)
        let other = try house.connected(1, from: 2)
        #expect(readers[6].waitForEnd() == .fin || admin.waitForEnd(seconds: 0) == .fin)
        try other.settle()
        // Of those who may not administer one from elsewhere takes a reader's place, never an administrator's.
        let late = try house.connected(0, from: 3)
        #expect(eventually { addresses(house, 0).contains("127.0.0.3") && addresses(house, 1).contains("127.0.0.2") })
        for app in readers.prefix(5) + [other, late] { try app.settle() }
    }

    /// Who makes room for whom, by the addresses of the clients, the oldest first.
    @Test(
        arguments: [
            ("a", "aaaaaaaa", nil), ("b", "aaaaaaaa", 7), ("b", "aaaaabbb", 4), ("b", "aaaabbbb", nil),
            ("b", "aaaaabbbb", nil),
            ("c", "abababab", 7), ("c", "aabbccdd", nil), ("e", "aabbccdd", 7), ("e", "aabbcddc", 7),
            ("z", "abcdefgh", nil),
            ("b", "bbaaaaaa", 7), ("b", "aaaaaabb", 5),
        ] as [(String, String, Int?)])
    func byFairness(_ newcomer: String, _ seated: String, _ leaves: Int?) {
        #expect(ShareSeats.whoMakesRoom(for: newcomer, among: seated.map { "\($0)" }) == leaves)
    }
}
