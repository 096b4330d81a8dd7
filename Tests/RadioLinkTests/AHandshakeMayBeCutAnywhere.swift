import MeshModel
import Testing

@testable import RadioLink
@testable import RadioSimulator

/// How a handshake ends early.
enum Cut: CaseIterable { case radioGoesQuiet, silentReboot, reboot, unplug }

/// After each of its frames, of both stages.
@Test(arguments: Cut.allCases)
func aHandshakeMayBeCutAnywhere(cut: Cut) throws {
    var frames = 0
    while true {
        var options = SimulatorOptions()
        options.nodes = 5
        options.chatter = 0
        var link = SimulatedLink(options)
        let isThere = { (link: SimulatedLink) in link.framesHeard >= frames || link.session.phase == .live }
        try #require(link.run(seconds: 10, until: isThere) != nil)
        if link.session.phase == .live { break }
        switch cut {
        case .radioGoesQuiet: link.radio.api.close()
        case .silentReboot: link.radio.reboot(silently: true)
        case .reboot: link.radio.reboot(silently: false)
        case .unplug: link.reopen()
        }
        // A stall of 30 s, of which nobody hears but that nothing comes, and a whole handshake.
        let limit: Double = cut == .radioGoesQuiet || cut == .silentReboot ? 40 : 10
        #expect(link.run(seconds: limit, until: \.isLive) != nil, "after \(frames) frames")
        let snapshot = try #require(link.session.snapshot)
        #expect(snapshot.missing.isEmpty, "after \(frames) frames")
        #expect(link.problems.isEmpty)
        frames += 1
    }
    #expect(frames > 50)
}
