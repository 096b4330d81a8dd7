import Foundation
import Testing

// A day in the life of a gateway, drawn from a seed: texts are accepted, cables pulled, radios restart with and without
// a word or become other nodes, frames get lost or come twice, queues and lists of favourites are full, servers repeat
// texts, the process is killed, the clock is set. Then a quiet while.
//
// What must be so in the end, and all the time:
//
//  - every accepted text is a message, with its words, and with a state that is no longer "pending";
//  - a packet id is never given to the radio with other content, at most twice, the second time within two minutes, and
//    not again once the radio has said that it took it;
//  - what waits without holding goes out in the order in which it was accepted;
//  - what was never given to the radio is known to be unsent;
//  - a message's state never goes back;
//  - a text that a server repeats stays one message, and our own is nobody's forgery;
//  - the radio has each favourite, or the node says that it does not.

/// How many seeds; MESH_GATEWAY_TEST_SEEDS=1234 or =1...5000 asks for others.
private var seeds: ClosedRange<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["MESH_GATEWAY_TEST_SEEDS"] {
        let bounds = text.split(separator: ".").compactMap { UInt64($0) }
        if let first = bounds.first { return first...max(first, bounds.last ?? first) }
    }
    return 1...(environment["MESH_GATEWAY_TEST_FULL"] == nil ? 60 : 600)
}

@Test(arguments: 0..<10 as Range<UInt64>)
func nothingThatWasSaidGetsLost(part: UInt64) throws {
    for seed in seeds where seed % 10 == part {
        let violations = try Story(seed: seed).tell()
        #expect(violations.isEmpty, "MESH_GATEWAY_TEST_SEEDS=\(seed): \(violations.prefix(5).joined(separator: "; "))")
    }
}

@Test func theSameSeedGivesTheSameStory() throws {
    for seed in [7, 8] as [UInt64] {
        let (one, another) = (try Story(seed: seed), try Story(seed: seed))
        _ = (try one.tell(), try another.tell())
        let parted = difference(one.world.ledger.story, another.world.ledger.story)
        #expect(parted == nil, "seed \(seed): \(parted ?? "")")
        #expect(!one.world.ledger.written.isEmpty)
    }
}

/// Where two stories part, with what came before.
private func difference(_ one: [String], _ another: [String]) -> String? {
    guard let place = zip(one, another).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else {
        return one.count == another.count ? nil : "one has \(one.count) lines, the other \(another.count)"
    }
    return one[max(0, place - 12)...place].joined(separator: "\n") + "\nor \(another[place])"
}
