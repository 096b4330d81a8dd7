import Foundation
import Search
import Testing

/// Patterns of the table in deploy/RULES.md, and five texts for each, drawn from a seed: the same place, the same groups, the
/// same refusals. 2,000 patterns, 10,000 when MESH_GATEWAY_TEST_FULL is set. MESH_GATEWAY_TEST_PATTERN_SEED is another seed.
@Test func aPatternFindsWhatRE2Finds() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["MESH_GATEWAY_TEST_PATTERN_SEED"] ?? "1"
    let count = environment["MESH_GATEWAY_TEST_FULL"] == nil ? 2_000 : 10_000
    let (patterns, texts, finds) = try compare(try answers(seed: seed, count: count))
    #expect(patterns == count && texts > count * 49 / 10)
    // Neither nothing nor everything.
    #expect(finds > count * 3 / 2 && finds < count * 7 / 2)
}

private func compare(_ answers: [UInt8]) throws -> (patterns: Int, texts: Int, finds: Int) {
    var (patterns, texts, finds) = (0, 0, 0)
    for line in answers.split(separator: 0x0A) {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        let written = text(ofHexadecimal: fields[0])
        patterns += 1
        guard fields.count > 1 else {
            #expect(throws: PatternMistake.self, "RE2 refuses \(written)") { try Pattern(written) }
            continue
        }
        guard let pattern = try? Pattern(written) else {
            Issue.record("RE2 knows \(written)")
            continue
        }
        for field in stride(from: 1, to: fields.count, by: 2) {
            let text = text(ofHexadecimal: fields[field])
            let read = PatternText(text)
            let match = pattern.match(in: read)
            let (ours, theirs) = (answer(match), String(decoding: fields[field + 1], as: UTF8.self))
            texts += 1
            if match != nil { finds += 1 }
            if ours != theirs || pattern.isIn(read) != (match != nil) {
                Issue.record("\(written) in \(text.debugDescription): \(ours), and RE2 has \(theirs)")
            }
        }
    }
    return (patterns, texts, finds)
}

private func answer(_ match: PatternMatch?) -> String {
    guard let match else { return "-" }
    let groups = match.groups.sorted { $0.key < $1.key }.map { "\($0.key)=\(hexadecimal($0.value))" }
    return (["\(match.range.lowerBound),\(match.range.upperBound)"] + groups).joined(separator: ",")
}

/// One process for all.
private func answers(seed: String, count: Int) throws -> [UInt8] {
    let (python, output) = (Process(), Pipe())
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3",
        (#filePath as NSString).deletingLastPathComponent + "/re2-answers.py", seed, "\(count)",
    ]
    python.standardOutput = output
    try python.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    python.waitUntilExit()
    try #require(
        python.terminationStatus == 0,
        "set MESH_GATEWAY_TEST_PYTHON to a Python that has the package google-re2, as deploy/test does")
    return [UInt8](bytes)
}

private func hexadecimal(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func text(ofHexadecimal digits: ArraySlice<UInt8>) -> String {
    func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
    let bytes = stride(from: digits.startIndex, to: digits.endIndex, by: 2).map { place in
        value(digits[place]) << 4 | value(digits[place + 1])
    }
    return String(decoding: bytes, as: UTF8.self)
}
