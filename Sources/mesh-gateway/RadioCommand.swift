import CommandLine
import Glibc
import JSON
import Terminal

/// `mesh-gateway radio`: the attached radio's own settings, and orders to it.
struct RadioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "Shows and changes the radio's own settings, and controls it.",
        discussion: """
            Each command asks the radio directly: through the running daemon, or, without a daemon, by connecting to \
            it.
            """,
        subcommands: [
            Info.self, Config.self, Reboot.self, SetTime.self, Favorite.self, Ignore.self, Remove.self,
        ])

    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info",
            abstract: "Shows the radio's identity, hardware and LoRa settings.")

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            try viewing.show(backend.get("/local/radio", [("source", viewing.source)]), text)
        }

        private func text(_ page: JSONValue) -> String {
            var fields = Fields()
            fields.add("Radio", "\(page["longName"]?.string ?? "?") (\(page["shortName"]?.string ?? "?"))")
            fields.add("Node", page["nodeId"]?.string.map { "\($0), number \(page["nodeNum"]?.integer ?? 0)" })
            fields.add("Hardware", page["hardware"]?.string)
            fields.add("Firmware", page["firmwareVersion"]?.string)
            fields.add("Role", page["role"]?.string)
            fields.add("Region", page["region"]?.string)
            fields.add("Modem", modem(page))
            fields.add("Hop limit", page["hopLimit"]?.integer.map { $0 == 0 ? "3, the default" : "\($0)" })
            fields.add("Sends", sending(page))
            for (place, channel) in (page["channels"]?.array ?? []).enumerated() {
                fields.add(place == 0 ? "Channels" : "", ChannelCommand.line(channel))
            }
            fields.add("Air", air(page))
            fields.add("Power", power(page))
            fields.add("Running", page["uptimeSeconds"]?.integer.map { durationInWords(seconds: UInt64(max(0, $0))) })
            fields.add("Restarts", page["rebootCount"]?.integer.map { "\($0)" })
            fields.add("Clock", clock(page))
            fields.add("Public key", page["publicKey"]?.string)
            fields.add("Device id", page["deviceId"]?.string)
            return fields.text(width: Screen.width, style: Screen.style(.bold))
        }

        private func modem(_ page: JSONValue) -> String {
            let slot = page["frequencySlot"]?.integer ?? 0
            let frequency = slot == 0 ? "" : ", frequency slot \(slot)"
            if page["usesPreset"]?.bool == true { return (page["modemPreset"]?.string ?? "?") + frequency }
            let numbers = [page["bandwidth"], page["spreadFactor"], page["codingRate"]].map { $0?.integer ?? 0 }
            return "bandwidth \(numbers[0]) kHz, SF \(numbers[1]), CR 4/\(numbers[2])" + frequency
        }

        private func sending(_ page: JSONValue) -> String {
            guard page["txEnabled"]?.bool == true else { return "nothing: lora.tx_enabled is false" }
            let power = page["txPower"]?.integer ?? 0
            return power == 0 ? "with the most power that the region allows" : "with \(power) dBm"
        }

        private func air(_ page: JSONValue) -> String? {
            guard let use = page["channelUtilization"]?.decimal(1), let own = page["airUtilTx"]?.decimal(1) else {
                return nil
            }
            return "\(use) % in use, \(own) % of the last hour by this radio"
        }

        /// Above 100 the radio has external power (DeviceMetrics).
        private func power(_ page: JSONValue) -> String? {
            guard let level = page["batteryLevel"]?.integer else { return nil }
            let voltage = page["voltage"]?.decimal(2).flatMap { $0 == "0.00" ? nil : ", \($0) V" } ?? ""
            return (level > 100 ? "external" : "battery at \(level) %") + voltage
        }

        private func clock(_ page: JSONValue) -> String {
            guard let time = viewing.time(page["radioTime"]), let offset = page["clockOffsetSeconds"]?.integer else {
                return "not set; mesh-gateway radio set-time sets it"
            }
            if abs(offset) < 3 { return time }
            let difference = durationInWords(seconds: offset.magnitude)
            return "\(time), \(difference) \(offset < 0 ? "behind" : "ahead of") this computer"
        }
    }
}

/// What the commands that change the radio have in common.
struct Confirming: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false

    /// Shows what is going to be done; beside JSON only where a person is asked about it.
    func show(_ text: String, beside viewing: Viewing) {
        if !viewing.json { return writeToStandardOutput(text) }
        if !yes { writeToStandardError(text) }
    }

    /// Asks on the terminal, unless `--yes` has said it.
    ///
    /// - Parameters:
    ///   - question: ends without a question mark.
    ///   - retry: what a script has to type.
    ///   - reason: why it is asked.
    /// - Returns: false: no.
    func confirm(_ question: String, retry: String, reason: String = "this changes the radio") throws -> Bool {
        if yes { return true }
        guard isTerminal(STDIN_FILENO), isTerminal(STDERR_FILENO) else {
            throw failure(
                "\(reason), and there is no terminal to ask at; add --yes: \(retry) --yes", .usage)
        }
        writeToStandardError("\(question)? [y/N] ")
        // readLine(3) itself would go on waiting after Ctrl-C.
        if case .interrupted = waitToRead(STDIN_FILENO, until: nil) { throw ExitCode(Interruption.exitCode) }
        let answer = readLine()?.lowercased() ?? ""
        if answer == "y" || answer == "yes" { return true }
        writeToStandardError("Nothing was changed.\n")
        return false
    }
}

extension Viewing {
    /// A path with the source that is meant.
    func target(_ path: String) -> String {
        source.map { "\(path)?source=\(PercentEncoding.segment($0))" } ?? path
    }
}

extension RadioCommand {
    struct Reboot: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reboot",
            abstract: "Restarts the radio. Packets that wait in it for the mesh or for the gateway are lost.")

        @Option(name: .customLong("in"), help: ArgumentHelp("Restart after so many seconds.", valueName: "seconds"))
        var seconds = 5

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            guard (1...86_400).contains(seconds) else {
                throw failure("--in takes 1 to 86400 seconds; try: mesh-gateway radio reboot --in 5", .usage)
            }
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            guard try confirming.confirm("Restart the radio in \(seconds) s", retry: "mesh-gateway radio reboot") else {
                throw ExitCode(1)
            }
            let page = try backend.post(viewing.target("/local/radio/reboot"), body: "{\"in\":\(seconds)}")
            try viewing.show(page) { _ in "The radio restarts in \(seconds) s.\n" }
        }
    }

    struct SetTime: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-time",
            abstract: "Sets the radio's clock to this computer's. A radio with GPS keeps its own time.")

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let page = try backend.post(viewing.target("/local/radio/time"), body: "{}")
            try viewing.show(page) { page in
                guard let time = viewing.time(page["radioTime"]) else {
                    return "The radio has not taken the time; its clock is not set.\n"
                }
                return "The radio's clock: \(time)\n"
            }
        }
    }

    /// Options of what is said about a node.
    struct Marking: ParsableArguments {
        @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
        var node: String

        @Flag(help: "Undo it.")
        var remove = false

        @OptionGroup var viewing: Viewing

        func run(_ path: String, _ sentence: (String) -> String) throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let body = JSONText.object([("node", JSONText.quoted(node)), ("remove", "\(remove)")])
            try viewing.show(backend.post(viewing.target(path), body: body)) { page in
                let later = page["isDone"]?.bool == true ? "" : " The radio is changed as soon as it is back."
                let warnings = (page["warnings"]?.array ?? []).compactMap(\.string).map { " " + $0 }.joined()
                return Screen.lines(sentence(page["nodeId"]?.string ?? "?") + later + warnings)
            }
        }
    }

    struct Favorite: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "favorite",
            abstract: "Makes a node a favourite, which the radio does not forget; --remove undoes it.")

        @OptionGroup var marking: Marking

        func run() throws {
            try marking.run("/local/radio/favorite") {
                "\($0) is \(marking.remove ? "no longer " : "")a favourite."
            }
        }
    }

    struct Ignore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ignore",
            abstract: "Makes the radio ignore a node; --remove undoes it.")

        @OptionGroup var marking: Marking

        func run() throws {
            try marking.run("/local/radio/ignore") { "\($0) is \(marking.remove ? "no longer " : "")ignored." }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes a node and its key from the radio's NodeDB, until it is heard again.",
            discussion: "What the gateway knows and keeps of the node stays as it is.")

        @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
        var node: String

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let question = "Let the radio forget \(printable(node)) and its key"
            guard try confirming.confirm(question, retry: "mesh-gateway radio remove NODE") else { throw ExitCode(1) }
            let body = JSONText.object([("node", JSONText.quoted(node))])
            let page = try backend.post(viewing.target("/local/radio/remove"), body: body)
            try viewing.show(page) { "The radio has forgotten \($0["nodeId"]?.string ?? "?").\n" }
        }
    }
}
