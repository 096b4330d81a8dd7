import MadeUpProgram
import Testing

@testable import CommandLine

/// The words up to the one that is typed, as bash splits them | what is offered.
@Test(arguments: [
    ("''", "ships load crane help"), ("s", "ships"), ("ships ''", "list moor"), ("ships m", "moor"),
    ("help ''", "ships load crane help"), ("help ships ''", "list moor"), ("xyz ''", ""), ("-", "--help --version"),
    ("ships list --li", "--limit"), ("ships --li", "--limit"), ("ships list --limit ''", ""),
    ("ships list --pier ''", "north north-east south"), ("ships list --pier no", "north north-east"),
    // As bash splits "--pier=no" and as it takes the answer.
    ("ships list --pier = no", "north north-east"), ("ships list --pier = ''", "north north-east south"),
    ("ships list --book ''", ":file"), ("ships list --book = x", ":file"),
    ("load ''", "bulk crates"), ("load bulk ''", ""), ("load --by ''", "bulk crates"), ("load --by c", "crates"),
    ("load -- --by ''", ""), ("load bulk --", "--weight --number --by --book --pier --help --version"),
    // Nothing but options can follow.
    ("ships list x ''", "--all --flags --limit --book --pier"), ("secret ''", ""),
])
func aCompletionIsWhatMayStandThere(line: String, offered: String) {
    let answer = Completer(CommandPath(Harbour.self)).answer(["bash"] + line.words)
    #expect(answer.split(separator: "\n").joined(separator: " ") == offered)
}

@Test func namesWithBlanksAreOneWordAndQuotesAreUnderstood() {
    let completer = Completer(CommandPath(Harbour.self))
    // What would be two lines is not offered.
    #expect(completer.answer(["bash", "ships", "moor", ""]) == "Anna\nAnna am Berg\nBerta\n")
    #expect(completer.answer(["bash", "ships", "moor", "'Anna am"]) == "Anna am Berg\n")
    #expect(completer.answer(["bash", "ships", "moor", #"Anna\ a"#]) == "Anna am Berg\n")
    #expect(completer.answer(["zsh", "ships", "moor", "Anna a"]) == "Anna am Berg\n")
}

@Test func zshAndFishSeeDescriptions() {
    for shell in ["zsh", "fish"] {
        let answer = Completer(CommandPath(Harbour.self)).answer([shell, "ships", "l"])
        #expect(answer == "list\tLists the ships.\n")
    }
    #expect(Completer(CommandPath(Harbour.self)).answer(["tcsh", "s"]) == "")
    #expect(Completer(CommandPath(Harbour.self)).answer([]) == "")
}
