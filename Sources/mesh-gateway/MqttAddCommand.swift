import CommandLine
import Configuration
import Folders
import Glibc
import JSON
import MQTTBridge
import Platform
import Terminal

extension MqttCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Writes a broker, connects to it, and says where the devices appear.",
            discussion: """
                It asks for the password of the user in the url and writes it into a file of its own that only the service \
                can read. Home Assistant gets the favourites, unless --show says otherwise. mesh-gateway-home-assistant(7) \
                says what else the file may hold.
                """)

        @Argument(help: "What it is called here, such as house.")
        var name: String

        @Argument(help: "Where it is: mqtt://USER@HOST, or mqtts:// with TLS.")
        var url: String

        @Option(
            help: ArgumentHelp("Read the password from this file, - for standard input.", valueName: "file"),
            completion: .file)
        var passwordFile: String?

        @Option(
            help: ArgumentHelp(
                "Which nodes Home Assistant gets: favourites, direct, all, or ids; none for no Home Assistant.",
                valueName: "nodes"))
        var show = "favourites"

        @Option(
            help: ArgumentHelp(
                "For mqtts://, the authority's certificate, if the system does not know it.", valueName: "file"),
            completion: .file)
        var ca: String?

        @OptionGroup var viewing: Viewing

        func run() throws {
            guard FileName.isFit(name) else {
                throw failure("a broker is called in a-z, 0-9 and -, at most 64 of them, such as house.", .usage)
            }
            let folder = try folder()
            let path = "\(folder.path)/\(name).conf"
            let broker = try checked(path, in: folder)
            let password = try password(for: broker)
            let beside = password == nil ? nil : passwordPath(in: folder)
            if let password, let beside { try TargetCommand.write(password + "\n", to: beside) }
            do { try TargetCommand.write(text(withPassword: beside), to: path) } catch {
                if let beside { unlink(beside) }
                throw error
            }
            if !viewing.json { writeToStandardError("Written: \(printable(path))\n") }
            guard let client = try Reach.daemon(viewing.gatewayOptions.configuration()) else {
                if viewing.json { return }
                return writeToStandardError("No daemon is running; the next one connects to it.\n")
            }
            _ = try Page(client.answer("POST", "/local/mqtt/reload", body: "{}"))
            try Test.show(MqttCommand.ask("test", name, viewing), viewing) { page in
                guard page["devices"]?.array?.isEmpty == false else { return "" }
                return "\n"
                    + Screen.lines(
                        "In Home Assistant the devices appear under Settings, Devices & services, MQTT: first the gateway, then "
                            + "each radio, then the nodes.")
            }
        }

        // MARK: the files

        private func folder() throws -> BrokersFolder {
            let own = BrokersFolder(besideFile: viewing.gatewayOptions.read().file).path
            let client = try Reach.daemon(viewing.gatewayOptions.configuration())
            let told = try client.map { try Page($0.answer("GET", "/local/mqtt")).json["folder"]?.string } ?? nil
            return BrokersFolder(path: try keptFolder(own: own, told: told, of: "brokers"))
        }

        private func passwordPath(in folder: BrokersFolder) -> String {
            // The file names it by a path that begins at the root.
            "\(folder.path.hasPrefix("/") ? folder.path : (realPath(".") ?? "") + "/" + folder.path)/\(name).password"
        }

        private func text(withPassword path: String?) -> String {
            var lines = ["url = \(Configuration.written(url))"]
            if let path { lines.append("password-file = \(Configuration.written(path))") }
            if let ca { lines.append("ca = \(Configuration.written(ca))") }
            if show != "none" { lines.append("home-assistant = \(Configuration.written(show))") }
            return lines.map { $0 + "\n" }.joined()
        }

        /// The broker as its file would have it.
        private func checked(_ path: String, in folder: BrokersFolder) throws -> Broker {
            guard access(path, F_OK) != 0 else {
                throw failure("there is a broker already: \(path); give this one another name.", .cannotCreate)
            }
            let beside = passwordPath(in: folder)
            guard access(beside, F_OK) != 0 else {
                throw failure(
                    "there is a file \(beside) already, and another broker may name it; give this one another name.",
                    .cannotCreate)
            }
            let file = BrokerFile(text(withPassword: nil), name: name, path: path)
            guard let broker = file.broker else {
                throw failure("\(file.mistakes.first?.text ?? "the url is none").", .usage)
            }
            if let ca, access(ca, R_OK) != 0 {
                throw failure("\(ca) cannot be read: \(systemMessage(errno)).", .noInput)
            }
            let others = folder.read().files ?? []
            if let twin = others.compactMap(\.broker).first(where: { $0.isSame(as: broker) }) {
                throw failure("\(twin.path) has this broker already: change that file.", .cannotCreate)
            }
            guard others.count < BrokerFile.kind.limit else {
                throw failure("there are \(BrokerFile.kind.limit) brokers already, and no more count.", .cannotCreate)
            }
            return broker
        }

        /// nil for a broker that is open to everybody.
        private func password(for broker: Broker) throws -> String? {
            guard broker.user != nil else {
                guard passwordFile == nil else {
                    throw failure(
                        "a password needs a user; write it in the url, for example: mqtt://mesh@\(broker.host).", .usage
                    )
                }
                return nil
            }
            var line: String?
            if let passwordFile, passwordFile != "-" {
                guard let text = contents(of: passwordFile) else {
                    throw failure("\(passwordFile) cannot be read: \(systemMessage(errno)).", .noInput)
                }
                line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first.map(String.init)
            } else if passwordFile == nil {
                guard isatty(STDIN_FILENO) == 1 else {
                    throw failure(
                        "there is no terminal to ask for the password: name a file with --password-file, or - for standard "
                            + "input.", .usage)
                }
                line = Self.typed("Password of \(printable(broker.user ?? "")): ")
            } else {
                line = readLine()
            }
            guard let line, !line.isEmpty else {
                throw failure("there is no password; without one, leave the user out of the url.", .dataError)
            }
            return line
        }

        /// A line from the terminal, which does not show it.
        private static func typed(_ question: String) -> String? {
            writeToStandardError(question)
            guard tcgetattr(STDIN_FILENO, usualTerminal) == 0 else { return readLine() }
            var hidden = usualTerminal.pointee
            hidden.c_lflag &= ~tcflag_t(ECHO)
            signal(SIGINT) { _ in
                tcsetattr(STDIN_FILENO, TCSADRAIN, usualTerminal)
                _exit(130)
            }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden)
            defer {
                tcsetattr(STDIN_FILENO, TCSADRAIN, usualTerminal)
                signal(SIGINT, SIG_DFL)
                writeToStandardError("\n")
            }
            return readLine()
        }
    }
}

/// Of the one thread of a command that asks, and of its signal handler. On the heap, because Swift 6.3 leaves the padding out of
/// a global `termios()`: it is three bytes too short, and tcgetattr(3) writes past its end.
nonisolated(unsafe) private let usualTerminal = UnsafeMutablePointer<termios>.allocate(capacity: 1)
