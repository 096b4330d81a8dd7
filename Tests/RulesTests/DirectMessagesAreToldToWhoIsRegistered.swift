import Folders
import Foundation
import Gateway
import JSON
import MeshModel
import Platform
import RadioLink
import Synchronization
import Testing

@testable import Rules
@testable import Store

/// Before anybody has written a rule, an app that registers hears of direct messages: by a rule without a file.
@Suite(.timeLimit(.minutes(10))) struct DirectMessagesAreToldToWhoIsRegistered {
    private struct NoRadio: Error {}

    /// A gateway without a radio, its rules, and apps that register.
    private final class Service {
        let here: RulesHere
        let store: Store
        let gateway: Gateway
        let rules: RunningRules
        let source: SourceID
        let woken = Lines()
        private var texts: PacketID = 0

        /// - Parameter files: by name, as they are there at the start.
        init(_ files: [String: String] = [:]) throws {
            here = try RulesHere()
            for (name, text) in files { try here.write(name, text) }
            store = try Store(path: here.root + "/mesh.db")
            gateway = try Gateway(store: store, logger: .silent) { delegate in
                RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
            }
            source = try store.read { try $0.sources()[0].id }
            let (store, woken) = (store, woken)
            rules = RunningRules(
                gateway, folder: here.folder, logger: .silent,
                targets: RuleTargets(
                    names: { ["phone"] }, wake: { woken.add("") },
                    devices: {
                        let all = (try? store.readCommitted { try $0.registrations() }) ?? []
                        return all.map { RuleDevice($0) { _, _ in true } }
                    }))
            rules.reload()
            rules.devicesChanged()
        }

        deinit {
            rules.stop()
            gateway.stop()
            store.close()
        }

        func newToken(_ name: String) throws -> Int64 {
            let hash = [UInt8](repeating: name.utf8.first!, count: 32)
            return try store.commit { writer in
                try writer.insertToken(name: name, hash: hash, prefix: "mm_v1_", scopes: "read", at: 0)
            }
        }

        func register(_ address: String, for token: Int64) throws -> PushRegistration {
            let now = WallClock.milliseconds()
            let made = try store.commit { writer in
                try writer.register(
                    .web(endpoint: address, p256dh: "", auth: ""), for: token, name: nil, rules: nil, at: now)
            }
            return try #require(made)
        }

        func write(_ text: String) throws {
            texts += 1
            let (id, now, source) = (texts, WallClock.milliseconds(), source)
            try store.commit(as: .live) { writer in
                try writer.updateNode(anna, in: source, at: now) { $0.longName = "Anna" }
                try writer.insertMessage(
                    Message(
                        id: "", from: anna, to: ownNode, text: text, channel: -1, packetID: id, timestamp: now,
                        createdAt: now, updatedAt: now), in: source)
            }
        }

        /// Target and text of what waits, oldest first.
        func waiting() throws -> [String] {
            try store.read { reader in
                try reader.waitingDispatches(after: 0).compactMap { try reader.dispatch($0.id) }
                    .map { "\($0.target) \($0.row.title): \($0.row.body)" }
            }
        }

        func feed() throws -> [String] { try store.read { try $0.feed(after: 0, limit: 100) }.map(\.body) }

        /// Rules are at work, or have been.
        func hasRows() throws -> Bool {
            try store.read { try $0.cursor(WorkingRules.reader) != nil || !$0.rules().isEmpty }
        }

        var builtIn: [String] { rules.state.files.filter(\.isBuiltIn).map(\.name) }
    }

    private func eventually(_ isSo: () throws -> Bool, _ place: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<3_000 where try !isSo() { usleep(20_000) }
        #expect(try isSo(), sourceLocation: place)
    }

    @Test func whileSomebodyIsRegistered() throws {
        let service = try Service()
        #expect(service.builtIn == [])
        try service.write("nobody hears it")
        let phone = try service.newToken("phone")
        #expect(try !service.hasRows())

        let first = try service.register("https://push.example.org/1", for: phone)
        service.rules.devicesChanged()
        #expect(service.builtIn == ["direct-message"])
        try service.write("one")
        try eventually { try service.waiting() == ["push:1 Direct message from Anna: one"] }
        #expect(try service.feed() == ["one"])
        #expect(service.woken.all.count == 1)
        // A second one changes nothing of it.
        _ = try service.register("https://push.example.org/2", for: phone)
        service.rules.devicesChanged()
        try service.write("two")
        try eventually {
            try service.waiting().suffix(2) == [
                "push:1 Direct message from Anna: two", "push:2 Direct message from Anna: two",
            ]
        }

        try service.store.commit { try $0.removeRegistration(first.id) }
        service.rules.devicesChanged()
        #expect(service.builtIn == ["direct-message"])
        try service.store.commit { try $0.revokeToken(id: phone, at: 1) }
        service.rules.devicesChanged()
        #expect(service.builtIn == [])
        try eventually { try !service.hasRows() }
        try service.write("three")
        #expect(try service.waiting() == [])
        #expect(try service.feed() == ["one", "two"])
        // And once more.
        _ = try service.register("https://push.example.org/3", for: service.newToken("tablet"))
        service.rules.devicesChanged()
        try service.write("four")
        try eventually { try service.waiting() == ["push:3 Direct message from Anna: four"] }
    }

    /// A push service has ended the last one, or its token has expired: nobody tells the rules, which see it as they tell.
    @Test func nobodySaysThatTheLastOneHasEnded() throws {
        let service = try Service()
        let phone = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        service.rules.devicesChanged()
        try eventually { try service.hasRows() }
        try service.store.commit { try $0.removeRegistration(phone.id) }
        try service.write("one")
        try eventually { try service.builtIn == [] && !service.hasRows() }
        #expect(try service.waiting() == [])
        try service.write("two")
        #expect(try service.feed() == ["one"])
    }

    /// The rules' thread begins later than the answer to who registers, or has its hands full with other rules.
    @Test(arguments: [[:], ["battery": "when = battery below 20 %"]])
    func nothingAfterTheAnswerIsMissed(_ files: [String: String]) throws {
        let service = try Service(files)
        if !files.isEmpty { try eventually { try service.hasRows() } }
        try service.write("before")
        _ = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        try service.write("after")
        service.rules.devicesChanged()
        try service.write("later")
        try eventually {
            try service.waiting() == [
                "push:1 Direct message from Anna: after", "push:1 Direct message from Anna: later",
            ]
        }
        #expect(try service.feed() == ["after", "later"])
    }

    @Test(arguments: ["when = direct message\nenabled = no\n", "when = direct massage\n"])
    func aFileOfItsNameEndsIt(_ text: String) throws {
        let service = try Service()
        _ = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        service.rules.devicesChanged()
        try eventually { try service.hasRows() }
        try service.here.write("direct-message", text)
        service.rules.reload()
        #expect(service.builtIn == [] && !service.rules.telling.contains { $0.name == "direct-message" })
        try eventually { try !service.hasRows() }
        try service.write("nobody hears it")
        // Without it, it is back, for what comes then.
        try service.here.remove("direct-message")
        service.rules.reload()
        #expect(service.builtIn == ["direct-message"])
        try eventually { try service.hasRows() }
        try service.write("one")
        try eventually { try service.waiting() == ["push:1 Direct message from Anna: one"] }
        #expect(try service.feed() == ["one"])
    }

    @Test func aFileOfItsNameTakesItsPlace() throws {
        let service = try Service(["direct-message": "when = direct message\ntitle = From {node}\ntell = phone\n"])
        _ = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        service.rules.devicesChanged()
        #expect(service.builtIn == [])
        #expect(service.rules.telling.map(\.name) == ["direct-message"])
        #expect(service.rules.telling.map(\.isBuiltIn) == [false])
        try eventually { try service.hasRows() }
        try service.write("one")
        // The target's computer is a stranger's.
        try eventually { try service.waiting() == ["phone From Anna: ", "push:1 From Anna: one"] }
        #expect(try service.feed() == ["one"])
    }

    /// Nobody knows what a file of its name would say.
    @Test func whileTheFolderCannotBeReadItIsNotInForce() throws {
        let service = try Service()
        let rules = RunningRules(
            service.gateway, folder: RulesFolder(path: service.here.root + "/" + String(repeating: "x", count: 300)),
            logger: .silent, targets: RuleTargets(names: { [] }, wake: {}))
        defer { rules.stop() }
        _ = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        rules.devicesChanged()
        rules.reload()
        #expect(!rules.state.hasBuiltInRule && !rules.state.isKnown)
        #expect(try !service.hasRows())
    }

    @Test func itIsShownAsBuiltIn() throws {
        let service = try Service([
            "battery": "when = battery below 20 %", "pong": "when = direct message\nreply = pong",
        ])
        // What an app may choose of, before it registers. A rule that acts tells nothing.
        #expect(service.rules.telling.map(\.name) == ["battery", "direct-message"])
        #expect(service.rules.telling.map(\.isBuiltIn) == [false, true])
        func shown() throws -> [[JSONValue?]] {
            let wanted = RowsWanted(showsFiles: true)
            var json = JSONWriter()
            try service.store.read { reader in
                let shown = try ShownRules(
                    service.rules.state, in: service.here.folder, wanted, reader, maySee: { _ in true })
                json.object { $0.rules(shown, wanted) }
            }
            let rules = JSONValue(json.takeChunk())?["rules"]?.array ?? []
            return rules.map { [$0["name"], $0["builtIn"], $0["inForce"], $0["type"]] }
        }
        let files: [[JSONValue?]] = [
            [.string("battery"), .bool(false), .bool(true), .string("battery")],
            [.string("pong"), .bool(false), .bool(true), .string("direct-message")],
        ]
        #expect(try shown() == files)
        _ = try service.register("https://push.example.org/1", for: service.newToken("phone"))
        service.rules.devicesChanged()
        let own: [JSONValue?] = [.string("direct-message"), .bool(true), .bool(true), .string("direct-message")]
        #expect(try shown() == [files[0], own, files[1]])
        #expect(RuleFile.builtIn.mistakes.isEmpty && RuleFile.builtIn.rule?.when == .directMessage)
    }
}

/// What every rule tells goes to those that its token, the rule and the registration let have it.
@Suite struct WhatRulesTellGoesToWhoIsRegistered {
    private final class Devices: Sendable {
        let all = Mutex<[RuleDevice]>([])
    }

    private let devices = Devices()

    private func mesh(_ rules: [String: String], zone: LocalZone = LocalZone { _ in 0 }) throws -> StoredMesh {
        try StoredMesh(rules, targets: ["phone"], devices: { [devices] in devices.all.withLock { $0 } }, zone: zone)
    }

    /// - Parameters:
    ///   - rules: those that it names.
    ///   - mayRead: its token may read direct messages; without it, it sees what is said of radios.
    private func register(_ mesh: StoredMesh, rules: [String]? = nil, mayRead: Bool = true) throws {
        let number = devices.all.withLock { $0.count }
        let (now, source) = (mesh.now.at, mesh.source)
        let made = try mesh.store.commit { writer in
            let token = try writer.insertToken(
                name: "\(number)", hash: [UInt8](repeating: UInt8(number), count: 32), prefix: "mm_v1_", scopes: "",
                at: now)
            return try writer.register(
                .apple(deviceToken: "\(number)", isSandbox: false), for: token, name: nil, rules: rules, at: now)
        }
        let registration = try #require(made)
        let allowed: Set<FeedRow.Need> = mayRead ? [.message(channel: -1), .node(channel: nil), .info] : [.info]
        let device = RuleDevice(registration) { row, reader in
            let mutes = (try? reader.mutes(by: registration.token, in: source)) ?? [:]
            return !row.needs.isEmpty && row.needs.isSubset(of: allowed)
                && row.conversation.flatMap { mutes[$0] } == nil
        }
        devices.all.withLock { $0.append(device) }
    }

    private func waiting(_ mesh: StoredMesh) throws -> [String] {
        try mesh.store.read { reader in
            try reader.waitingDispatches(after: 0).compactMap { try reader.dispatch($0.id) }
                .map { "\($0.target) \($0.isSummary ? "\($0.titles)" : $0.row.body)" }
        }
    }

    @Test func asItStandsInTheFeed() throws {
        let mesh = try mesh(["direct": "when = direct message\ntell = phone", "lost": "when = radio lost"])
        try register(mesh)
        try mesh.write("geheim", id: 1)
        try mesh.work()
        // The text stays with those who may read it.
        #expect(try waiting(mesh) == ["phone ", "push:1 geheim"])
        let row = try #require(try mesh.feed().first)
        let sent = try #require(try mesh.store.read { try $0.dispatches(of: "push:1") }.first?.row)
        #expect(sent.uuid == row.uuid && sent.title == row.title && sent.needs == row.needs)
        #expect(mesh.woken.all.count == 1)
        // A rule need not name anybody.
        try mesh.happen(Happening(.link, at: mesh.now.at, source: mesh.source, name: "lost"))
        try mesh.work()
        #expect(try waiting(mesh).count == 3)
    }

    @Test func onlyOfRulesThatItNames() throws {
        let mesh = try mesh(["a": "when = direct message\nwords = help", "b": "when = direct message"])
        try register(mesh, rules: ["a", "never"])
        try register(mesh, rules: ["b"])
        try register(mesh, rules: [])
        try mesh.write("hello", id: 1)
        try mesh.write("help", id: 2)
        try mesh.work()
        #expect(try waiting(mesh).sorted() == ["push:1 help", "push:2 hello", "push:2 help"])
    }

    @Test func notWithoutTheRightAndNotIfItIsMuted() throws {
        let mesh = try mesh(["direct": "when = direct message"])
        for mayRead in [true, false, true] { try register(mesh, mayRead: mayRead) }
        let source = mesh.source
        try mesh.store.commit { try $0.mute(.direct(anna), .forGood, by: 3, in: source) }
        try mesh.write("geheim", id: 1)
        try mesh.work()
        #expect(try waiting(mesh) == ["push:1 geheim"])
    }

    /// What counts others is for those who may see one of them.
    @Test func whatCountsOthersIsForWhoMaySeeOneOfThem() throws {
        let mesh = try mesh(["direct": "when = direct message"])
        for mayRead in [true, false, true] { try register(mesh, mayRead: mayRead) }
        try mesh.tellAll(8)
        try mesh.pass(2 * minute)
        let counting = try mesh.feed().filter { $0.type == FeedRow.countingType }.map(\.uuid)
        #expect(counting.count == 1)
        let told = try mesh.store.read { reader in
            try (1...3).map { id in try reader.dispatches(of: "push:\(id)").filter { counting.contains($0.uuid) }.count
            }
        }
        #expect(told == [1, 0, 1])
    }

    /// Whoever sees some of what is counted may have it in a summary, too.
    @Test func aSummaryNeedsNoMoreThanItsReaderMaySee() throws {
        let mesh = try mesh(["all": "when = message\nquiet = 22:00-07:00"])
        try register(mesh)
        let device = RuleDevice(target: "push:1", rules: nil, registeredAt: 0) { row, _ in
            row.needs.isSubset(of: [.message(channel: 0), .node(channel: nil), .node(channel: 0)])
        }
        devices.all.withLock { $0 = [device] }
        try mesh.pass(noon + 11 * hour - mesh.now.at)
        for id in PacketID(1)...12 { try mesh.write("\(id)", id: id, channel: id % 2 == 0 ? 0 : 1) }
        try mesh.work()
        try mesh.pass(2 * minute)
        let counting = try mesh.feed().filter { $0.type == FeedRow.countingType }
        #expect(counting.contains { $0.needs.contains(.message(channel: 1)) })
        try mesh.pass(noon + 19 * hour - mesh.now.at)
        let summary = try #require(try mesh.store.read { try $0.dispatches(of: "push:1") }.last)
        #expect(summary.isSummary && summary.row.needs.contains(.message(channel: 0)))
        #expect(!summary.row.needs.contains(.message(channel: 1)), "\(summary.row.needs)")
    }

    @Test func whatWasToldBeforeIsNotSent() throws {
        let mesh = try mesh(["direct": "when = direct message"])
        try mesh.write("before", id: 1)
        try mesh.work()
        // The rules' thread may be late.
        try mesh.write("just before", id: 2)
        try mesh.pass(second)
        try mesh.write("unseen", id: 3)
        let later = mesh.now.at + 1
        let device = RuleDevice(target: "push:1", rules: nil, registeredAt: later) { _, _ in true }
        try register(mesh)
        devices.all.withLock { $0 = [device] }
        try mesh.pass(2)
        #expect(try mesh.feed().count == 3 && waiting(mesh) == [])
        try mesh.write("after", id: 4)
        try mesh.work()
        #expect(try waiting(mesh) == ["push:1 after"])
        // By a clock that has been set back since, nothing would be sent for years.
        try mesh.setClock(by: -400 * 24 * hour)
        try mesh.write("set back", id: 5)
        try mesh.work()
        #expect(try waiting(mesh) == ["push:1 after", "push:1 set back"])
    }

    @Test func notInTheRulesQuietHours() throws {
        let mesh = try mesh(
            [
                "direct": "when = direct message\nquiet = 22:00-07:00",
                "alarm": "when = direct message\nwords = help\npriority = high\nquiet = 22:00-07:00",
            ])
        try register(mesh)
        try mesh.pass(noon + 11 * hour - mesh.now.at)
        for (place, text) in ["one", "two", "help"].enumerated() { try mesh.write(text, id: PacketID(place) + 1) }
        try mesh.work()
        #expect(try waiting(mesh) == ["push:1 help"] && mesh.feed().count == 4)
        try mesh.pass(noon + 19 * hour - mesh.now.at)
        let titles = ["one", "two", "help"].map { "Direct message from Anna: \($0)" }
        #expect(try waiting(mesh) == ["push:1 help", "push:1 \(titles)"])
        let summary = try #require(try mesh.store.read { try $0.dispatches(of: "push:1") }.last)
        #expect(summary.row.needs == [.message(channel: -1)] && summary.titledRows.count == 3)
    }

    /// It answers, and tells nobody: the feed has nothing of it.
    @Test func notByARuleThatActs() throws {
        let mesh = try mesh(["pong": "when = direct message\nreply = pong"])
        try register(mesh)
        try mesh.write("ping", id: 1)
        try mesh.work()
        #expect(try mesh.feed().isEmpty && waiting(mesh) == [])
    }

    /// Its row would reach nobody, and wait for ever.
    @Test func notIfItIsGoneWhenItIsWritten() throws {
        let mesh = try mesh(["direct": "when = direct message"])
        try register(mesh)
        try mesh.store.commit { try $0.removeRegistration(1) }
        try mesh.write("geheim", id: 1)
        try mesh.work()
        #expect(try mesh.feed().count == 1 && waiting(mesh) == [])
    }
}
