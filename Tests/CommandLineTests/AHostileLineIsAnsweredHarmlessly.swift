import MadeUpProgram
import Testing

@testable import CommandLine

private func run(_ words: [String]) -> (code: Int32, output: String, errors: String) {
    var (output, errors) = ("", "")
    let code = Harbour.main(words, CommandOutput(width: 80, write: { output += $0 }, writeError: { errors += $0 }))
    return (code, output, errors)
}

@Suite struct AHostileLineIsAnsweredHarmlessly {
    /// The word is at every place where an error could show it.
    @Test(arguments: [
        String(repeating: "x", count: 1 << 20), String(repeating: "é", count: 1 << 19),
        "\u{1B}]0;title\u{07}\u{1B}[31mred",
        "line\nline\r\nline", "\u{202E}desrever", "\u{FFFD}\u{FFFD}", "'; rm -rf /", "👩‍👩‍👧‍👦", "\u{0}",
    ])
    func aWordIsShownShortAndHarmless(word: String) {
        let lines = [
            [word], ["--" + word], ["-" + word], ["ships", word], ["ships", "list", "--limit", word],
            ["ships", "moor", "a", word], ["load", word, "a"], ["help", word], ["ships", "moor", "a", "7", word],
        ]
        for line in lines {
            let (code, output, errors) = run(line)
            #expect(code == 64 && output.isEmpty)
            #expect(errors.utf8.count < 600 && errors.split(separator: "\n").count <= 4, "\(errors)")
            let harmless = errors.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !(0x202A...0x202E).contains($0.value)
            }
            #expect(harmless, "\(errors.debugDescription)")
        }
    }

    @Test func aHundredThousandWordsAreRead() {
        let words = (0..<100_000).map { "w\($0)" }
        #expect(run(["crane", "turn"] + words).code == 0)
        #expect(run(["ships", "moor"] + words).code == 64)
        #expect(run(["ships", "list"] + words.flatMap { ["--pier", $0] }).code == 0)
        #expect(run(["---complete", "bash", "crane", "turn"] + words).code == 0)
        #expect(run(Array(repeating: "--", count: 100_000)).code == 64)
    }
}
