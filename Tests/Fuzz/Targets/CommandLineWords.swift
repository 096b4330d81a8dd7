import CommandLine
import MadeUpProgram

/// The words of a command line, with a NUL behind each but the last: run, and completed by each shell.
final class CommandLineWords: FuzzTarget {
    func run(_ input: [UInt8]) throws {
        let words = input.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let (code, output, errors) = answer(words)
        try check(code == 0 || code == 64, "it ends with \(code)")
        try check(errors.isEmpty == (code == 0), "it ends with \(code) and says \(errors)")
        try check(code == 0 || output.isEmpty, "an error comes with \(output)")
        try check(errors.split(separator: "\n").count <= 4, "an error is long: \(errors)")
        for scalar in errors.unicodeScalars where scalar != "\n" {
            try check(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "an error has \(scalar.value)")
        }
        for shell in Shell.allCases {
            let (code, output, errors) = answer(["---complete", shell.rawValue] + words)
            try check(code == 0 && errors.isEmpty, "completion ends with \(code) and says \(errors)")
            try check(output.isEmpty || output.hasSuffix("\n"), "a completion does not end: \(output)")
        }
    }

    private func answer(_ words: [String]) -> (code: Int32, output: String, errors: String) {
        var (output, errors) = ("", "")
        let code = Harbour.main(words, CommandOutput(width: 80, write: { output += $0 }, writeError: { errors += $0 }))
        return (code, output, errors)
    }
}
