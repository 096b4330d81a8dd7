import CommandLine
import Configuration
import Folders
import Glibc
import JSON
import Nettle
import Notifications
import Platform
import Terminal

extension TargetCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Writes a target, which is in force at once.",
            discussion: """
                It asks for the address, which is a secret: it is no argument, where other users could read it. For ntfy it \
                also asks for the access token that a protected topic needs. For a webhook it makes the secret by which the \
                receiver knows the gateway, writes it beside, and shows it once. Rules tell the target when they name it: \
                tell = NAME.
                """)

        @Argument(help: "What it is called, as in: tell = NAME.")
        var name: String

        @Argument(help: "\(Target.Kind.words.dropLast().joined(separator: ", ")) or \(Target.Kind.words.last!).")
        var kind: String

        @Option(
            help: ArgumentHelp("Read the address from this file, - for standard input.", valueName: "file"),
            completion: .file)
        var urlFile: String?

        @Option(
            help: ArgumentHelp(
                "For ntfy: read the access token from this file, - for standard input.", valueName: "file"),
            completion: .file)
        var tokenFile: String?

        @Option(
            help: ArgumentHelp("Of apprise without a key: a file with the addresses of services.", valueName: "file"),
            completion: .file)
        var urlsFile: String?

        @Flag(help: "It may be on this computer.")
        var allowLocal = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard FileName.isFit(name) else {
                throw failure("a target is called in a-z, 0-9 and -, at most 64 of them, such as phone.", .usage)
            }
            guard Target.Kind.words.contains(kind) else {
                throw failure(
                    "there is no kind \"\(printable(kind))\"; there are: \(Target.Kind.words.joined(separator: ", ")).",
                    .usage)
            }
            let asked = Target.Kind.wordsOfAsked
            guard tokenFile == nil || asked.contains(kind) else {
                throw failure("--token-file is for \(asked.joined(separator: " and ")) only; leave it out.", .usage)
            }
            let folder = try TargetCommand.folder(viewing)
            let path = folder.file(of: name)
            guard access(path, F_OK) != 0 else {
                throw failure("there is a target already: \(path); give this one another name.", .cannotCreate)
            }
            let url = try address()
            if let mistake = TargetFile.mistake(in: url, of: kind) { throw failure("\(mistake).", .usage) }
            var lines = ["kind = \(kind)", "url = \(Configuration.written(url))"]
            if allowLocal { lines.append("allow-local = yes") }
            let ofKind = Target.Kind.secret(of: kind)
            let secret: String? =
                if case .made(let prefix) = ofKind { prefix + Base64.encoded(Self.random(32)) } else { nil }
            let own = try secret ?? token(ofKind)
            // The text is copied, because the service cannot read files below /home.
            let beside = try own.map { $0 + "\n" } ?? urlsFile.map { try Self.text(of: $0) }
            if beside != nil { lines.append("\(own == nil ? "urls" : "secret")-file = \(name).secret") }
            let file = "\(folder.path)/\(name).secret"
            if let beside { try TargetCommand.write(beside, to: file) }
            let text = lines.map { $0 + "\n" }.joined()
            if let mistake = TargetFile(text, name: name, path: path).mistakes.first {
                if beside != nil { unlink(file) }
                throw failure("\(mistake.text).", .usage)
            }
            try TargetCommand.write(text, to: path)
            var done = "Written: \(path). To try it: mesh-gateway target test \(name)"
            if access("/usr/bin/curl", X_OK) != 0 { done += "\n\(RunningTargets.missingCurl)" }
            // Shown before the daemon is asked, which may fail. With --json standard output is for JSON only.
            if let secret {
                writeToStandardError("The receiver checks signatures with this secret, which is shown this once:\n")
                if viewing.json { writeToStandardError(secret + "\n") } else { writeToStandardOutput(secret + "\n") }
            }
            try TargetCommand.tell(viewing, done)
        }

        private func address() throws -> String {
            guard let urlFile else {
                guard isatty(STDIN_FILENO) == 1 else {
                    throw failure(
                        "there is no terminal to ask for the address: name a file with --url-file, or - for standard input.",
                        .usage)
                }
                writeToStandardError("Address, such as \(Target.Kind.example(of: kind) ?? "https://HOST/..."): ")
                return trimmed(readLine() ?? "")
            }
            return try firstLine(of: urlFile)
        }

        /// nil if there is none, as for open topics.
        private func token(_ secret: Target.Kind.Secret) throws -> String? {
            guard case .asked(let question) = secret else { return nil }
            if let tokenFile {
                let token = try firstLine(of: tokenFile)
                guard token.isEmpty else { return token }
                throw failure("there is no token in \(printable(tokenFile)); it is one line such as tk_...", .dataError)
            }
            // With --url-file nobody is there to be asked.
            guard urlFile == nil else { return nil }
            writeToStandardError("\(question): ")
            let token = trimmed(readLine() ?? "")
            return token.isEmpty ? nil : token
        }

        /// For `-`, the next line of standard input.
        private func firstLine(of file: String) throws -> String {
            if file == "-" { return trimmed(readLine() ?? "") }
            return trimmed(try Self.text(of: file).split(whereSeparator: \.isNewline).first.map(String.init) ?? "")
        }

        private static func text(of file: String) throws -> String {
            guard let text = contents(of: file) else {
                throw failure("\(printable(file)) cannot be read: \(systemMessage(errno)).", .noInput)
            }
            return text
        }

        /// Without blanks around it. One within it makes it another address, or none: it is a mistake.
        private func trimmed(_ text: String) -> String {
            let isBlank = { (character: Character) in character.isWhitespace }
            let start = text.drop(while: isBlank)
            return start.lastIndex { !isBlank($0) }.map { String(start[...$0]) } ?? ""
        }

        private static func random(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            precondition(getentropy(&bytes, bytes.count) == 0, "getentropy(3) must work")
            return bytes
        }
    }

    // MARK: rules

    /// Refuses a rule that tells a target that is not there, or that gets no notifications.
    ///
    /// - Parameter names: those that the rule is to tell.
    static func refuseMissing(_ names: [String], _ viewing: Viewing) throws {
        guard !names.isEmpty else { return }
        let folder = try folder(viewing)
        // Who cannot look into the folder cannot say what is there; the daemon does.
        guard let files = folder.read().files else { return }
        for name in names {
            guard let file = files.first(where: { $0.name == name }) else {
                let known = files.filter { !$0.isAlive }.map(\.name)
                throw failure(
                    "there is no target \(printable(name))"
                        + (known.isEmpty ? "" : " (there are: \(printable(known.joined(separator: ", "))))")
                        + "; to have one, type: sudo mesh-gateway target add \(printable(name)) ntfy.", .usage)
            }
            guard !file.isAlive else {
                throw failure(
                    "\(name) only learns that the gateway is alive, and gets no notifications; name another target.",
                    .usage)
            }
        }
    }

    // MARK: files

    static func folder(_ viewing: Viewing) throws -> TargetsFolder {
        let own = TargetsFolder(besideFile: viewing.gatewayOptions.read().file).path
        let client = try Reach.daemon(viewing.gatewayOptions.configuration())
        let told = try client.map { try Page($0.answer("GET", "/local/targets")).json["folder"]?.string } ?? nil
        return TargetsFolder(path: try keptFolder(own: own, told: told, of: "targets"))
    }

    /// Readable by the owner and the service's group only.
    static func write(_ text: String, to path: String) throws {
        let folder = GatewayOptions.folder(of: path)
        GatewayOptions.makeFolders(GatewayOptions.folder(of: folder))
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw RuleCommand.refusal(errno, folder, isWritten: true)
        }
        do {
            let group = geteuid() == 0 ? groupID("mesh-gateway") : nil
            try replaceFile(path, with: Array(text.utf8), readableBy: group)
        } catch {
            throw RuleCommand.refusal(error.number, path, isWritten: true)
        }
    }

    /// Says what was done, and has the daemon read the folder again.
    static func tell(_ viewing: Viewing, _ done: String) throws {
        guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
            if !viewing.json { writeToStandardError(done + "\nNo daemon is running; the next one goes by it.\n") }
            return
        }
        let page = try Page(client.answer("POST", "/local/targets/reload", body: "{}"))
        if viewing.json { return writeJSON(page.text) }
        writeToStandardError(done + "\n")
    }
}
