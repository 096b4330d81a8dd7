import MeshModel
import Testing

@testable import Store

@Suite struct ARegistrationBelongsToItsToken {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    private func newToken(_ name: String, until end: Int64? = nil) throws -> Int64 {
        let hash = Array("\(name)".utf8.prefix(32)) + [UInt8](repeating: 0, count: 32 - min(32, name.utf8.count))
        return try store.commit {
            try $0.insertToken(name: name, hash: hash, prefix: "mm_v1_", scopes: "read", expiresAt: end, at: noon)
        }
    }

    private func browser(_ number: Int, key: String = "B1") -> PushAddress {
        .web(endpoint: "https://push.example.org/\(number)", p256dh: key, auth: "a")
    }

    private func register(
        _ address: PushAddress, for token: Int64, name: String? = nil, rules: [String]? = nil, at time: Int64 = noon
    ) throws -> PushRegistration? {
        try store.commit { try $0.register(address, for: token, name: name, rules: rules, at: time) }
    }

    private func all() throws -> [PushRegistration] { try store.read { try $0.registrations() } }

    /// Lets a notification wait for it, and notes that an attempt has failed.
    private func tell(_ target: String) throws {
        let row = FeedRow(at: noon, in: source, type: "direct-message", title: "Anna", body: "Hi", needs: [.info])
        var failed = TargetRow(target)
        failed.attempts = 1
        try store.commit { [failed] writer in
            try writer.insert(row)
            try writer.insert(Dispatch(to: target, at: noon, row))
            try writer.store(failed)
        }
    }

    private func waiting() throws -> [String] {
        try store.read { reader in
            #expect(try reader.targets().map(\.name) == reader.dispatchCounts().keys.sorted())
            return try reader.waitingDispatches(after: 0).map(\.target)
        }
    }

    @Test func whoRegistersAgainChangesIt() throws {
        let phone = try newToken("phone")
        let first = try #require(try register(browser(1), for: phone, name: "Firefox", rules: ["battery", "a \"b\""]))
        #expect(first.id == 1 && first.target == "push:1" && first.since == noon)
        #expect(PushRegistration.id(ofTarget: first.target) == 1 && PushRegistration.id(ofTarget: "phone") == nil)
        try tell(first.target)
        try store.commit { try $0.note(unheardSince: noon, of: 1) }
        #expect(try all().map(\.unheardSince) == [noon])
        let second = try #require(try register(browser(1, key: "B2"), for: phone, at: noon + 5))
        #expect(second.id == 1 && second.address == browser(1, key: "B2"))
        #expect(second.name == nil && second.rules == nil && second.unheardSince == nil)
        #expect(second.registeredAt == noon + 5 && second.since == noon)
        #expect(try all() == [second])
        // What it was to be told it is told.
        #expect(try waiting() == ["push:1"])
        #expect(first.rules == ["battery", "a \"b\""])
    }

    @Test func whatIsReadIsWhatWasWritten() throws {
        let phone = try newToken("phone")
        let apple = PushAddress.apple(deviceToken: "0f0f", isSandbox: true)
        var known = try #require(try register(apple, for: phone, name: "Ännas iPhone", rules: ["a \"b\"", "c,d"]))
        try store.commit { try $0.noteOtherHost(true, of: 1) }
        known.isOtherHost = true
        #expect(try all() == [known])
        // The app says the same again: what was found out of its host stays; another host is another matter.
        #expect(try register(apple, for: phone)?.isOtherHost == true)
        #expect(try register(.apple(deviceToken: "0f0f", isSandbox: false), for: phone)?.isOtherHost == false)
        #expect(try all().count == 1)
        // An endpoint may be spelt as a token of Apple's.
        #expect(try register(.web(endpoint: "0f0f", p256dh: "", auth: ""), for: phone)?.id == 2)
    }

    @Test func whoRegistersLastHasIt() throws {
        let (phone, tablet) = (try newToken("phone"), try newToken("tablet"))
        try tell(try #require(try register(browser(1), for: phone)).target)
        let second = try #require(try register(browser(1), for: tablet, at: noon + 9))
        #expect(second.id == 2 && second.token == tablet && second.since == noon + 9)
        #expect(try all() == [second])
        #expect(try waiting() == [])
        // It has not gone back to its number.
        #expect(try register(browser(1), for: phone)?.id == 3)
    }

    @Test func aNinthTakesTheOldestsPlace() throws {
        let (phone, tablet) = (try newToken("phone"), try newToken("tablet"))
        _ = try register(browser(100), for: tablet, at: noon - 100)
        for number in 1...8 { _ = try register(browser(number), for: phone, at: noon + Int64(number)) }
        // The first one is the newest now.
        _ = try register(browser(1), for: phone, at: noon + 20)
        try tell("push:3")
        let ninth = try #require(try register(browser(9), for: phone, at: noon + 21))
        #expect(ninth.id == 10)
        #expect(try all().map(\.id) == [1, 2, 4, 5, 6, 7, 8, 9, 10])
        #expect(try waiting() == [])
        // One that was another token's, too.
        _ = try register(browser(100), for: phone, at: noon + 22)
        #expect(try all().map(\.id) == [2, 5, 6, 7, 8, 9, 10, 11])
    }

    @Test func thereAreSixtyFourInAll() throws {
        let tokens = try (0..<8).map { try newToken("token \($0)") }
        let (expiring, one) = (try newToken("expiring", until: noon + 50), try newToken("one"))
        for number in 0..<63 { _ = try register(browser(number), for: tokens[number / 8]) }
        #expect(try register(browser(63), for: expiring) != nil)
        #expect(try register(browser(64), for: one) == nil)
        #expect(try all().count == 64)
        // What takes another one's place needs none.
        #expect(try register(browser(0), for: one)?.token == one)
        #expect(try register(browser(64), for: tokens[1]) != nil)
        #expect(try all().count == 64)
        // That of a token that has expired goes first.
        #expect(try register(browser(65), for: one, at: noon + 50) != nil)
        #expect(try all().allSatisfy { $0.token != expiring } && all().count == 64)
    }

    @Test func itEndsWithItsToken() throws {
        let (phone, tablet) = (try newToken("phone"), try newToken("tablet", until: noon + 10))
        for number in 1...2 { try tell(try #require(try register(browser(number), for: phone)).target) }
        try tell(try #require(try register(browser(3), for: tablet)).target)
        try tell("mail")
        #expect(try store.read { try $0.activeRegistrations(at: noon + 9) }.map(\.id) == [1, 2, 3])
        #expect(try store.read { try $0.activeRegistrations(at: noon + 10) }.map(\.id) == [1, 2])
        try store.commit { try $0.revokeToken(id: phone, at: noon + 1) }
        #expect(try all().map(\.id) == [3])
        #expect(try waiting() == ["push:3", "mail"])
        // What is found or answered late is nobody's.
        try store.commit { try $0.store(TargetRow("push:1")) }
        let row = FeedRow(at: noon, in: source, type: "battery", title: "x", body: "", needs: [.info])
        try store.commit { writer in
            try writer.insert(row)
            try writer.insert(Dispatch(to: "push:1", at: noon, row))
        }
        #expect(try waiting() == ["push:3", "mail"])
        for (token, time) in [(phone, noon), (tablet, noon + 10), (99, noon)] {
            #expect(throws: StoreError.tokenRevoked) { _ = try register(browser(4), for: token, at: time) }
        }
    }

    @Test func whatWaitsGoesWithIt() throws {
        let phone = try newToken("phone")
        for number in 1...2 { try tell(try #require(try register(browser(number), for: phone)).target) }
        let apple = try #require(try register(.apple(deviceToken: "0f", isSandbox: false), for: phone))
        try tell(apple.target)
        try store.commit { try $0.removeRegistration(2) }
        #expect(try waiting() == ["push:1", "push:3"])
        // With another push key browsers cannot be reached any more.
        try store.commit { try $0.removeBrowsersRegistrations() }
        #expect(try all() == [apple])
        #expect(try waiting() == ["push:3"])
    }

    /// SQLITE_FULL: who registers is told so, and is not registered.
    @Test func aFullDiskRegistersNobody() throws {
        let phone = try newToken("phone")
        let long = browser(1, key: String(repeating: "B", count: 5_000))
        try store.commit { writer in
            let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
            try writer.connection.execute("PRAGMA max_page_count = \(pages)")
        }
        #expect(throws: StoreError.self) { _ = try register(long, for: phone) }
        #expect(try all().isEmpty)
        #expect(store.health.failingSince != nil)
    }

    @Test func itIsInNoPlainExport() throws {
        let phone = try newToken("phone")
        let apple = PushAddress.apple(deviceToken: "0f0f", isSandbox: true)
        _ = try register(browser(1, key: "secret-p256dh"), for: phone, name: "Firefox", rules: ["battery"])
        _ = try register(apple, for: phone)
        try store.commit { try $0.noteOtherHost(true, of: 2) }
        let (known, key) = (try all(), try store.read { try $0.pushKey() })
        store.close()
        func lines(withSecrets: Bool) throws -> [(file: String, lines: [[UInt8]])] {
            var found: [(file: String, lines: [[UInt8]])] = []
            try DatabaseExport(of: folder.database).files(withSecrets: withSecrets) { file in
                found.append((file.name, []))
                try file.lines { found[found.count - 1].lines.append(Array($0)) }
            }
            return found
        }
        let plain = try lines(withSecrets: false).flatMap(\.lines).map { String(decoding: $0, as: UTF8.self) }
        for secret in ["push.example.org", "secret-p256dh", "0f0f", "Firefox"] {
            #expect(!plain.contains { $0.contains(secret) }, "\(secret)")
        }

        // With secrets all of it comes back: browsers need not register again.
        let other = Folder()
        let file = try UnfinishedFile(for: other.database, replaces: false)
        let taken = try DatabaseImport(into: file, program: "0.9.1")
        for one in try lines(withSecrets: true) {
            _ = try taken.importFile(one.file) { body in
                for line in one.lines { try line.withUnsafeBytes { try body($0) } }
            }
        }
        _ = try taken.finish()
        try file.publish()
        let again = try Store(path: other.database)
        defer { again.close() }
        #expect(try again.read { try $0.registrations() } == known)
        #expect(try again.read { try $0.pushKey() } == key)
    }

    /// A Raspberry Pi knows the time only later.
    @Test func itGetsTheTimeThatTheClockWouldHaveShown() throws {
        let phone = try newToken("phone")
        _ = try register(browser(1), for: phone, at: 60_000)
        _ = try register(browser(2), for: phone, at: noon)
        try store.commit { try $0.note(unheardSince: 70_000, of: 1) }
        try store.commit { try $0.clockWasSet(by: noon, at: 80_000) }
        let times = try all().map { [$0.registeredAt, $0.since, $0.unheardSince ?? 0] }
        #expect(times == [[noon + 60_000, noon + 60_000, noon + 70_000], [noon, noon, 0]])
    }

    /// Whoever reads a summary must be allowed to see all that it counts.
    @Test func aSummaryNeedsWhatItsRowsNeed() throws {
        let phone = try newToken("phone")
        _ = try register(browser(1), for: phone)
        let needs: [Set<FeedRow.Need>] = [
            [.message(channel: 0)], [.node(channel: 2), .info], [.brokerText(channels: [1, 3])],
        ]
        let rows = needs.map { FeedRow(at: noon, in: source, type: "x", title: "T", body: "", needs: $0) }
        try store.commit { writer in
            for row in rows {
                try writer.insert(row)
                try writer.insert(Dispatch(to: "push:1", at: noon, row, heldUntil: noon + 1))
                try writer.insert(Dispatch(to: "push:1", at: noon, row))
                try writer.insert(Dispatch(to: "mail", at: noon, row, heldUntil: noon + 1))
            }
        }
        let all = Set(needs.joined())
        let held = try store.read { try $0.heldDispatches() }
        #expect(held.map(\.row.needs) == [all, all])
        #expect(try store.read { try $0.dispatches(of: "push:1") }.map(\.row.needs) == needs)
        let summary = try store.commit { try $0.foldDispatches(of: "push:1", sparing: [], keeping: 0, at: noon) }
        #expect(summary?.row.needs == all && summary?.titledRows == rows.map(\.uuid))
        #expect(held.first { $0.target == "push:1" }?.titledRows == rows.map(\.uuid))
        #expect(held.first { $0.target == "mail" }?.titledRows == [])
        #expect(held.allSatisfy { $0.titles == ["T", "T", "T"] })
    }
}
