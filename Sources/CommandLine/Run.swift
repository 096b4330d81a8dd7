import Terminal

/// Where a command line's own texts go: help and errors.
public struct CommandOutput {
    /// Cells of a line; nil: no screen.
    let width: () -> Int?
    let write: (String) -> Void
    let writeError: (String) -> Void

    public init(
        width: @escaping @autoclosure () -> Int?, write: @escaping (String) -> Void,
        writeError: @escaping (String) -> Void
    ) {
        (self.width, self.write, self.writeError) = (width, write, writeError)
    }
}

extension ParsableCommand {
    /// Reads a command line and does what it asks for.
    ///
    /// - Parameter words: without the program's own name.
    /// - Returns: the exit code.
    public static func main(_ words: [String], _ output: CommandOutput) -> Int32 {
        let root = CommandPath(self)
        do {
            switch try CommandLineReader(root: root).invocation(words) {
            case .run(let command): try command.run()
            case .help(let path): output.write(HelpPage(path, width: output.width()).text)
            case .version: output.write(configuration.version + "\n")
            case .tree: output.write(CommandTree(root).json + "\n")
            case .completion(let words): output.write(Completer(root).answer(words))
            case .nothing: break
            }
            return 0
        } catch {
            return exitCode(error, root, output)
        }
    }

    private static func exitCode(_ error: any Error, _ root: CommandPath, _ output: CommandOutput) -> Int32 {
        switch error {
        case let error as ExitCode: return error.rawValue
        case let error as UsageError:
            output.writeError(error.text)
            return UsageError.exitCode
        default:
            output.writeError("\(root.text): \(printable("\(error)"))\n")
            return 70  // EX_SOFTWARE: every error that is foreseen is one of the above
        }
    }
}
