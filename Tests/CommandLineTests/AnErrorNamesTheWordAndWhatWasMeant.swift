import MadeUpProgram
import Testing

@testable import CommandLine

/// A wrong line | its error. What is said first is what a person would mend first.
@Test(arguments: [
    ("shisp", "there is no command 'shisp'; did you mean ships?"), ("xyzzy", "there is no command 'xyzzy'"),
    ("crane trun", "there is no command 'trun'; did you mean turn?"),
    ("help laod", "there is no command 'laod'; did you mean load?"),
    ("ships lits", "harbour ships list does not take the word 'lits'; did you mean list?"),
    ("secrte", "there is no command 'secrte'"),
    ("--nonsense", "there is no option '--nonsense'"),
    ("ships list --limti 5", "there is no option '--limti'; did you mean '--limit'?"),
    ("ships list --helpp", "there is no option '--helpp'; did you mean '--help'?"),
    ("ships list -x", "there is no option '-x'; did you mean '-a'?"),
    ("ships list -ax", "there is no option '-x'; did you mean '-a'?"),
    (
        "ships list --limit",
        "the value of '--limit <limit>' is missing (a value that begins with a dash is written --limit=-VALUE)"
    ),
    (
        "ships list --limit --all",
        "the value of '--limit <limit>' is missing (a value that begins with a dash is written --limit=-VALUE)"
    ),
    (
        "ships list --limit=",
        "the value of '--limit <limit>' is missing (a value that begins with a dash is written --limit=-VALUE)"
    ),
    ("ships list --limit 1e3", "'--limit <limit>' cannot be '1e3'"),
    ("ships list --limit 99999999999999999999", "'--limit <limit>' cannot be '99999999999999999999'"),
    ("ships list --all=yes", "'--all' takes no value"),
    ("ships moor", "'<ship>' is missing"), ("ships moor -5", "'<ship>' is missing"),
    ("ships moor Anna 65536", "'<berth>' cannot be '65536'"),
    ("ships moor Anna 7 8 9", "harbour ships moor does not take the word '8' and 1 more"),
    ("load", "'<kind>' is missing: bulk, crates"), ("load bulk", "'<goods> ...' is missing"),
    ("load crate a", "'<kind>' cannot be 'crate'; there are bulk, crates; did you mean crates?"),
    // A wrong value before what is missing, values that do not go together before an unknown option.
    ("load --weight heavy", "'--weight <weight>' cannot be 'heavy'"),
    ("ships list --pier none --nonsense", "there is no pier called none."),
    ("ships list --nonsense surplus", "there is no option '--nonsense'"),
])
func anErrorNamesTheWordAndWhatWasMeant(line: String, sentence: String) {
    #expect(reading(line.words) == "error: \(sentence)")
}

/// What a shell gets: code 64, nothing on standard output, and what to type.
@Test func aUsageErrorSaysWhatToType() {
    var (output, errors) = ("", "")
    let code = Harbour.main(
        ["ships", "lits"], CommandOutput(width: 80, write: { output += $0 }, writeError: { errors += $0 }))
    #expect(code == 64 && output.isEmpty)
    #expect(
        errors == """
            harbour: harbour ships list does not take the word 'lits'; did you mean list?
            For what it takes: harbour ships list --help

            """)
}
