import Foundation
import Gateway
import Glibc
import HTTPServer
import MeshModel
import Testing

@testable import RestAPI

@Suite struct LinksAreMeasuredFromWhatWasHeard {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    private let a = NodeNumber(0xA)
    private let b = NodeNumber(0xB)
    private let c = NodeNumber(0xC)

    @Test func percentilesAreTheNearestRanks() {
        var quality = LinkQuality()
        #expect(quality.percentile(50) == nil)
        for snr in (1...10).shuffled() { quality.add(Double(snr), at: Int64(snr), by: .packet) }
        #expect([10, 50, 90, 100].map { quality.percentile($0) } == [1, 5, 9, 10])
        quality.add(-7.3, at: 3, by: .traceroute)
        #expect(quality.percentile(1) == -7.25, "a quarter of a dB is all that a radio tells")
        #expect((quality.count, quality.count(by: .packet), quality.lastHeard) == (11, 10, 10))
        for nonsense in [Double.nan, .infinity, 1e9, -41] { quality.add(nonsense, at: 99, by: .packet) }
        #expect((quality.count, quality.lastHeard) == (11, 10))
    }

    /// From whom to whom, and the median in dB.
    private func links(_ route: RouteDiscovery) -> [[UInt32]: Double] {
        var links = LinkQualities()
        links.add(route, from: a, to: c, at: 1)
        return Dictionary(
            uniqueKeysWithValues: links.all.map { link, quality in
                ([link.from.rawValue, link.to.rawValue], quality.percentile(50) ?? 99)
            })
    }

    @Test func aRouteTellsOfEachHopInItsDirection() {
        let whole = RouteDiscovery(route: [b], snrTowards: [24, 8], routeBack: [b], snrBack: [4, -128])
        #expect(links(whole) == [[0xA, 0xB]: 6, [0xB, 0xC]: 2, [0xC, 0xB]: 1], "the last signal is unknown")
        let direct = RouteDiscovery(snrTowards: [-10], snrBack: [])
        #expect(links(direct) == [[0xA, 0xC]: -2.5])
        let hidden = RouteDiscovery(route: [.broadcast, b], snrTowards: [1, 2, 12])
        #expect(links(hidden) == [[0xB, 0xC]: 3], "nobody knows who the first relay was")
    }

    @Test func listsThatDoNotFitTellNothing() {
        #expect(links(RouteDiscovery(route: [b], snrTowards: [24])).isEmpty)
        #expect(links(RouteDiscovery(route: [], snrTowards: [24, 8], routeBack: [b], snrBack: [1, 2, 3])).isEmpty)
        #expect(links(RouteDiscovery(route: [a], snrTowards: [1, 2])) == [[0xA, 0xC]: 0.5], "nobody hears itself")
    }

    @Test func aFloodOfNodesIsBounded() {
        var links = LinkQualities()
        for number in 10..<20_010 as Range<UInt32> { links.add(NodeNumber(number), a, 1, at: 1, by: .neighborInfo) }
        #expect(links.all.count == 10_000)
        links.add(NodeNumber(11), a, 3, at: 2, by: .neighborInfo)
        #expect(links.all[.init(from: NodeNumber(11), to: a)]?.count == 2, "known links go on")
    }

    @Test func thePageTakesThemTogether() throws {
        let filled = try FilledGateway()
        let (own, peer) = (filled.live.radio.number.id, FilledGateway.peer.id)
        func page(_ query: String) throws -> [NSDictionary] {
            let page = try filled.test.ask("GET", "/local/links\(query)", peer: Self.me).json
            return try #require(page["links"] as? [NSDictionary])
        }
        func names(_ links: [NSDictionary]) -> [String] {
            links.map { link in
                let ends = ["from", "to"].map { (link[$0] as? NSDictionary)?["nodeId"] as? String ?? "?" }
                let snr = (link["snr"] as? NSDictionary)?["p50"] as? Double ?? 99
                return "\(ends[0]) \(ends[1]) \(snr) \(link["count"] as? Int ?? 0)"
            }
        }
        let all = [
            "\(peer) \(own) 5.25 2", "\(own) \(peer) -3.25 1", "\(own) !00000300 6.0 1",
            "!00000300 \(peer) -3.25 1",
        ]
        #expect(Set(names(try page(""))) == Set(all))
        #expect(names(try page("")).first == all[0], "the most signals first")
        #expect(names(try page("?worst=true")).last == all[2])
        #expect(Set(names(try page("?node=Ridge"))) == Set([all[0], all[1], all[3]]))
        #expect(try page("?since=0s").isEmpty)
    }
}
