@testable import MadeUpProgram
import Testing

@testable import CommandLine

/// What is read from a line of the made-up program, in words.
func reading(_ line: [String]) -> String {
    do {
        switch try CommandLineReader(root: CommandPath(Harbour.self)).invocation(line) {
        case .run(let command):
            let values = command.declaredProperties.flatMap(values)
            return (["\(type(of: command).configuration.commandName)"] + values).joined(separator: " ")
        case .help(let path): return "help \(path.text)"
        case .version: return "version"
        case .tree: return "tree"
        case .completion(let words): return "complete \(words)"
        case .nothing: return "nothing"
        }
    } catch let error as UsageError {
        return "error: \(error.sentence)"
    } catch {
        return "another error: \(error)"
    }
}

/// The values that differ from their defaults do so visibly: all are named.
private func values(_ declared: DeclaredProperty) -> [String] {
    let property = declared.name
    func text(_ value: Any) -> String { "\(property)=\(value)" }
    return switch declared.declaration {
    case let flag as Flag: flag.wrappedValue ? ["\(property)"] : []
    case let option as Option<Int>: [text(option.wrappedValue)]
    case let option as Option<Double>: [text(option.wrappedValue)]
    case let option as Option<String?>: option.wrappedValue.map { [text($0)] } ?? []
    case let option as Option<UInt64?>: option.wrappedValue.map { [text($0)] } ?? []
    case let option as Option<[String]>: [text(option.wrappedValue)]
    case let argument as Argument<String>: [text(argument.wrappedValue)]
    case let argument as Argument<UInt16?>: argument.wrappedValue.map { [text($0)] } ?? []
    case let argument as Argument<[String]>: [text(argument.wrappedValue)]
    case let group as OptionGroup<Harbour.Place>: group.wrappedValue.declaredProperties.flatMap(values)
    default: ["\(property)"]
    }
}

/// Words, separated by blanks; `''` stands for an empty one | what is read.
@Test(arguments: [
    // Options and their values.
    ("ships list --limit 7", "list limit=7 piers=[]"), ("ships list --limit=7", "list limit=7 piers=[]"),
    ("ships list --limit=-7", "list limit=-7 piers=[]"), ("ships list --limit 1 --limit 2", "list limit=2 piers=[]"),
    ("ships list --pier a --pier b", "list limit=50 piers=[\"a\", \"b\"]"),
    ("ships list --book -", "list limit=50 book=- piers=[]"), ("ships list --book ''", "list limit=50 book= piers=[]"),
    ("ships list --book=a=b", "list limit=50 book=a=b piers=[]"),
    // Flags, short and bundled.
    ("ships list -a", "list all limit=50 piers=[]"), ("ships list -af", "list all flags limit=50 piers=[]"),
    ("ships list --all --all", "list all limit=50 piers=[]"),
    // Words without a name.
    ("ships moor Anna", "moor ship=Anna"), ("ships moor Anna 7", "moor ship=Anna berth=7"),
    ("ships moor -", "moor ship=-"), ("ships moor ''", "moor ship="), ("ships moor -- -5", "moor ship=-5"),
    ("ships moor -- -- 7", "moor ship=-- berth=7"),
    ("load crates --weight 2 a b", "load kind goods=[\"a\", \"b\"] weight=2.0 by piers=[]"),
    (
        "load bulk a --number 18446744073709551615",
        "load kind goods=[\"a\"] weight=1.5 number=18446744073709551615 by piers=[]"
    ),
    ("crane turn", "turn targets=[]"), ("crane turn a b", "turn targets=[\"a\", \"b\"]"),
    // A group's default.
    ("ships", "list limit=50 piers=[]"), ("ships --all", "list all limit=50 piers=[]"),
    // Help and version, at every place.
    ("", "help harbour"), ("--", "help harbour"), ("crane", "help harbour crane"), ("--help", "help harbour"),
    ("ships -h", "help harbour ships"), ("ships moor --help", "help harbour ships moor"),
    ("ships list --nonsense --help", "help harbour ships list"), ("ships moor -- --help", "moor ship=--help"),
    ("help", "help harbour"), ("help ships moor", "help harbour ships moor"), ("help --help", "help harbour"),
    ("--version", "version"), ("crane turn --version", "version"), ("help --version", "version"),
    ("help --json", "tree"),
    // Completion scripts, of this version and of earlier ones.
    ("---complete bash ships", "complete [\"bash\", \"ships\"]"), ("---completion nodes -- x 1 2", "nothing"),
])
func everyFormOfALineIsRead(line: String, expected: String) {
    #expect(reading(line.words) == expected)
}

extension String {
    /// Split at blanks; `''` is an empty word.
    var words: [String] { split(separator: " ").map { $0 == "''" ? "" : String($0) } }
}
