import Foundation
import MeshModel
import Store
import Testing

@testable import Rules

/// Two hundred files are two hundred rules; each tells what concerns it, once.
@Test func twoHundredRulesTellOnceEach() throws {
    let folder = try RulesHere()
    for number in 0..<200 { try folder.write("rule-\(number)", "when = message on 0\nwords = word\(number)\n") }
    let reading = folder.folder.read()
    let (files, mistakes) = (reading.files, reading.mistakes)
    #expect(files?.count == 200 && mistakes.isEmpty)
    #expect(files?.allSatisfy { $0.mistakes.isEmpty } == true)
    let mesh = FakeMesh()
    try mesh.use(files?.compactMap(\.rule) ?? [])
    try mesh.start()
    try mesh.hear(anna)
    for number in 0..<200 as Range<UInt32> { try mesh.write("so: word\(number)!", id: number + 1) }
    #expect(mesh.firings.map(\.row.rule) == (0..<200).map { "rule-\($0)" })
    #expect(mesh.firings.allSatisfy { $0.fate == .told })
}

/// More than a folder may hold: said once, with which of them count.
@Test func rulesBeyondTheLimitDoNotCount() throws {
    let folder = try RulesHere()
    for number in 1...(RuleFile.kind.limit + 5) { try folder.write("r\(10_000 + number)", "when = mention\n") }
    let reading = folder.folder.read()
    #expect(reading.files?.count == RuleFile.kind.limit && reading.files?.last?.name == "r11000")
    #expect(
        reading.mistakes.map(\.text) == [
            "r11001.conf, r11002.conf, r11003.conf and 2 more do not count: there are more than 1000 rules; take some away"
        ])
}

/// A folder for rules, gone afterwards.
final class RulesHere {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: root) }

    var path: String { root + "/rules.d" }

    var folder: RulesFolder { RulesFolder(path: path) }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(name).conf", atomically: false, encoding: .utf8)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name).conf") }
}
