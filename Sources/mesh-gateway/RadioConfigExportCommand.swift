import CommandLine
import Glibc
import JSON
import Terminal

extension RadioCommand.Config {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Writes the radio's settings as YAML, as the official meshtastic command does.",
            discussion: """
                What is zero or off is left out, and stays as it is where the file is read. The radio's key pair and \
                its node number are in no file. With --with-secrets the channels and their keys, passwords and the PIN \
                are included, and the file is its owner's alone.
                """)

        @Argument(
            help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"), completion: .file)
        var file: String

        @Flag(help: "Include channels and their keys, passwords and the PIN.")
        var withSecrets = false

        @Flag(help: "Replace an existing file.")
        var force = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            if file == "-", viewing.json {
                throw failure("--json describes a file; name one in place of -.", .usage)
            }
            if file != "-", !force, access(file, F_OK) == 0 {
                throw failure("\(file) already exists; replace it with --force.", .cannotCreate)
            }
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let page = try backend.get(
                "/local/radio/file", [("source", viewing.source), ("secrets", withSecrets ? "1" : nil)])
            let text = page.json["text"]?.string ?? ""
            let left = (page.json["left"]?.array ?? []).compactMap(\.string)
            if file == "-" {
                writeToStandardOutput(text)
            } else {
                try write(text)
            }
            if viewing.json {
                return writeJSON(
                    JSONText.object([
                        ("schema", JSONText.quoted("radio-export/1")), ("file", JSONText.quoted(file)),
                        ("withSecrets", "\(withSecrets)"), ("left", JSONText.array(left)),
                    ]))
            }
            for sentence in sentences(left) { writeToStandardError(Screen.lines(printable(sentence))) }
        }

        private func write(_ text: String) throws {
            let mask = umask(0)
            umask(mask)
            do throws(WriteFailure) {
                try replaceFile(file, with: Array(text.utf8), mode: withSecrets ? 0o600 : 0o666 & ~mask)
            } catch {
                throw failure(
                    "\(file) cannot be written: \(systemMessage(error.number)); name a file in a folder of yours.",
                    .cannotCreate)
            }
        }

        private func sentences(_ left: [String]) -> [String] {
            var sentences: [String] = []
            if file != "-" { sentences.append("The radio's settings are in \(file).") }
            if !left.isEmpty {
                sentences.append(
                    "The file has no place for what the official command does not read: \(left.joined(separator: ", "))."
                )
            }
            sentences.append(
                withSecrets
                    ? "Warning: whoever has the file has the channels' keys and the passwords."
                    : "Channels, passwords and the PIN are not in the file; --with-secrets includes them.")
            return sentences
        }
    }
}
