import Foundation
import Gateway
import Log
import RadioLink
import Synchronization
import Testing

@testable import Rules
@testable import Store

/// A file that cannot be read or understood is out of force alone; at a reload what was in force stays.
@Suite struct AMistakeStaysSmall {
    private struct NoRadio: Error {}

    private let here: RulesHere
    private let store: Store
    private let rules: RunningRules
    private let log = Lines()

    init() throws {
        here = try RulesHere()
        store = try Store(path: here.root + "/mesh.db")
        let gateway = try Gateway(store: store, logger: .silent) { delegate in
            RadioLink(address: .connection(name: "none"), connect: { throw NoRadio() }, delegate: delegate)
        }
        rules = RunningRules(
            gateway, folder: here.folder, logger: Logger(LogThreshold(.info)) { [log] in log.add($0.text) })
    }

    private func reload() -> [String] {
        rules.reload()
        return rules.state.inForce.map { "\($0.name): \($0.when.type)" }
    }

    @Test func aBrokenFileAmongOthers() throws {
        defer { rules.stop() }
        try here.write("a", "when = mention\n")
        try here.write("b", "when = mentoin\n")
        #expect(reload() == ["a: mention"])
        #expect(log.all.count { $0.hasPrefix("rule-broken: \(here.path)/b.conf:1: ") } == 1, "\(log.all)")
        try here.write("b", "when = new node\n")
        #expect(reload() == ["a: mention", "b: new-node"])
        // It is in force as it was.
        try here.write("a", "when = \n")
        try here.write("b", "when = new node\nfoo = bar\n")
        #expect(reload() == ["a: mention", "b: new-node"])
        try here.remove("a")
        #expect(reload() == ["b: new-node"])
    }

    @Test func aFolderThatCannotBeRead() throws {
        defer { rules.stop() }
        try here.write("a", "when = mention\n")
        #expect(reload() == ["a: mention"])
        let aside = here.path + "-aside"
        try FileManager.default.moveItem(atPath: here.path, toPath: aside)
        // It leads to itself.
        try FileManager.default.createSymbolicLink(atPath: here.path, withDestinationPath: here.path)
        #expect(reload() == ["a: mention"])
        #expect(rules.state.mistakesOfFolder.first?.text.hasPrefix("cannot be read: ") == true)
        try FileManager.default.removeItem(atPath: here.path)
        #expect(reload() == [], "a folder that is gone has no rules")
        try FileManager.default.moveItem(atPath: aside, toPath: here.path)
        #expect(reload() == ["a: mention"])
    }

    /// What cannot be read as a file: a folder, a link to nowhere, bytes that are no text, far too much of it.
    @Test func whatIsNoFileOfText() throws {
        defer { rules.stop() }
        try here.write("good", "when = mention\n")
        try FileManager.default.createDirectory(atPath: here.path + "/folder.conf", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: here.path + "/gone.conf", withDestinationPath: "/nowhere")
        mkfifo(here.path + "/pipe.conf", 0o644)
        try Data([0xFF, 0x00, 0xFE, 0x0A]).write(to: URL(fileURLWithPath: here.path + "/bytes.conf"))
        try here.write("long", String(repeating: "# so long\n", count: 200_000))
        #expect(reload() == ["good: mention"])
        let names = rules.state.files.filter { !$0.mistakes.isEmpty }.map(\.name)
        #expect(names == ["bytes", "folder", "long", "pipe"], "a link to nowhere is a file that has vanished")
    }

    /// Names that differ in case are different files, and one of them is no rule's name.
    @Test func namesThatDifferInCase() throws {
        defer { rules.stop() }
        try here.write("battery", "when = battery below 20 %\n")
        try here.write("Battery", "when = battery below 10 %\n")
        try here.write("BATTERY", "when = battery below 5 %\n")
        #expect(reload() == ["battery: battery"])
        let broken = rules.state.files.flatMap(\.mistakes)
        #expect(broken.map(\.file) == ["\(here.path)/BATTERY.conf", "\(here.path)/Battery.conf"])
        #expect(broken.allSatisfy { $0.text.hasPrefix("a rule is called after its file") })
    }

    /// Files come and go while the folder is read: each is there as it is written, or not there.
    @Test func filesThatVanishWhileTheyAreRead() throws {
        let isOver = Atomic(false)
        let path = here.path
        let busy = Thread {
            while !isOver.load(ordering: .relaxed) {
                for name in ["a", "b", "c"] {
                    try? "when = mention\n".write(toFile: "\(path)/\(name).conf", atomically: true, encoding: .utf8)
                }
                for name in ["a", "b", "c"] { unlink("\(path)/\(name).conf") }
            }
        }
        busy.start()
        defer { isOver.store(true, ordering: .relaxed) }
        var counts: Set<Int> = []
        for _ in 0..<500 {
            let reading = here.folder.read()
            let (files, mistakes) = (reading.files, reading.mistakes)
            #expect(mistakes.isEmpty && files?.flatMap(\.mistakes).isEmpty == true)
            #expect(files?.allSatisfy { $0.rule?.when == .mention } == true)
            counts.insert(files?.count ?? -1)
        }
        #expect(counts.isSubset(of: [0, 1, 2, 3]))
    }
}
