import Foundation
import Search
import Testing

/// Ten thousand patterns and fifty thousand texts, drawn from a seed: the same place, the same groups, the same refusals.
@Test func aPatternFindsWhatRE2Finds() throws {
    let (patterns, texts, finds) = try compare(try answers(seed: 1, count: 10_000))
    #expect(patterns == 10_000 && texts > 49_000)
    // Neither nothing nor everything.
    #expect(finds > 15_000 && finds < 35_000)
}

private func compare(_ answers: Substring) throws -> (patterns: Int, texts: Int, finds: Int) {
    var (patterns, texts, finds) = (0, 0, 0)
    for line in answers.split(separator: "\n") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
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
            let match = pattern.match(in: PatternText(text))
            texts += 1
            if match != nil { finds += 1 }
            if answer(match) != fields[field + 1] || pattern.isIn(text) != (match != nil) {
                Issue.record("\(written) in \(text): \(answer(match)), and RE2 has \(fields[field + 1])")
            }
        }
    }
    return (patterns, texts, finds)
}

private func answer(_ match: PatternMatch?) -> String {
    guard let match else { return "-" }
    return
        (["\(match.range.lowerBound),\(match.range.upperBound)"]
        + match.groups.sorted { $0.key < $1.key }.map { "\($0.key)=\(hexadecimal($0.value))" }).joined(separator: ",")
}

private func answers(seed: Int, count: Int) throws -> Substring {
    let (python, output) = (Process(), Pipe())
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3",
        (#filePath as NSString).deletingLastPathComponent + "/re2-answers.py", "\(seed)", "\(count)",
    ]
    python.standardOutput = output
    try python.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    python.waitUntilExit()
    try #require(
        python.terminationStatus == 0,
        "set MESH_GATEWAY_TEST_PYTHON to a Python that has the package google-re2, as deploy/test does")
    return Substring(String(decoding: bytes, as: UTF8.self))
}

private func hexadecimal(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func text(ofHexadecimal digits: Substring) -> String {
    var (bytes, rest) = ([UInt8](), digits.utf8[...])
    while let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
}
