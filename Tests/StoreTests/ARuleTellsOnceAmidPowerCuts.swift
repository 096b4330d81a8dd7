import CRecordingDisk
import MeshModel
import Testing

@testable import Store

/// The disk is recorded, as in the rest of the suite.
extension APowerCutLosesNothingAcknowledged {
    /// At each instant the rules' place, their firings, their open states and the feed are those of one moment: each change up
    /// to the place has fired once, and none behind it; what was told is in the feed, and what the feed has was told.
    @Test(.timeLimit(.minutes(20))) func amidWhatRulesTell() throws {
        var found: Set<Int64> = []
        try cutPower(amid: tell(in:)) { store, acts, instant, context in
            try store.read { (reader) -> Void in
                let firings = try reader.firings(of: "battery", limit: 5_000)
                guard let place = try reader.cursor("rules") else {
                    #expect(firings.isEmpty, "\(context)")
                    return
                }
                found.insert(place)
                let left = try reader.changes(after: place, kinds: [.message], limit: .max).changes.map(\.number)
                let keys = firings.compactMap { Int64($0.key) }.sorted()
                #expect(Set(keys).count == keys.count, "\(context): twice")
                #expect(keys.allSatisfy { $0 <= place } && left.allSatisfy { $0 > place }, "\(context)")
                #expect(place == 0 || keys.last == place, "\(context): the place has moved without its firing")
                #expect(keys.count >= acts.last { $0.instant <= instant }?.count ?? 0, "\(context): lost")

                let told = Set(firings.filter { $0.fate == .told }.map(\.row.uuid))
                let rows = Set(try reader.feed(after: 0, limit: 5_000).map(\.uuid))
                #expect(told == rows, "\(context): the feed is another one than the log")
                // Every other firing begins a state, and the next one ends it.
                let open = try reader.episodes(of: "battery").map(\.uuid)
                let last = firings.first?.row
                #expect(open == (last?.state == .begins ? [last?.episode] : []).compactMap(\.self), "\(context)")
                let since = try reader.rules().map(\.change)
                #expect(since == (place == 0 ? [] : [keys.first]).compactMap(\.self), "\(context)")
            }
        }
        #expect(found.count > 8, "too few places to prove anything")
    }

    /// - Returns: at which instants how many firings were on disk.
    private func tell(in folder: Folder) throws -> [(instant: Int, count: Int)] {
        let store = try Store(path: folder.database, groupInterval: 5_000_000, logPages: 100)
        defer { store.close() }
        store.observe { _ in }
        let source = try store.commit { try $0.insert(.example) }
        var place = try store.commit { try $0.openCursor("rules") }
        var (acts, last, count): ([(instant: Int, count: Int)], PacketID, Int) = ([], 0, 0)
        var episode = randomUUID()
        var first: Int64?
        for round in 0..<60 {
            for _ in 0..<(round % 5 + 1) {
                last += 1
                store.enqueue { [last] in try $0.insertMessage(.received("text \(last)", id: last), in: source) }
            }
            if round % 3 == 0 { try store.commit { _ in } }
            let (changes, _, _) = try store.readCommitted { try $0.changes(after: place, kinds: [.message], limit: 4) }
            guard let newest = changes.last?.number else { continue }
            first = first ?? changes.first?.number
            var firings: [RuleFiring] = []
            for change in changes {
                let begins = count % 2 == 0
                if begins { episode = randomUUID() }
                let row = FeedRow(
                    at: noon + change.number, in: source, type: "battery", title: "battery \(change.number)", body: "",
                    needs: [.node(channel: 0)], rule: "battery", episode: episode, state: begins ? .begins : .ends)
                firings.append(RuleFiring(key: "\(change.number)", fate: count % 5 == 4 ? .counted : .told, row: row))
                count += 1
            }
            let isOpen = count % 2 == 1
            try store.commit { [episode, firings, first] writer in
                for firing in firings { try writer.store(firing) }
                try writer.store(RuleRow("battery", settings: "when = battery", change: first ?? 0, at: noon))
                if isOpen {
                    try writer.store(Episode("battery", "node:!1", uuid: episode, in: source, at: noon, toldAt: noon))
                } else {
                    try writer.removeEpisode(of: "battery", "node:!1")
                }
                try writer.moveCursor("rules", to: newest)
            }
            acts.append((recordingdisk_count(), count))
            place = newest
        }
        return acts
    }
}
