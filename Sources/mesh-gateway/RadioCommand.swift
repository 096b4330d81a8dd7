import CommandLine
import Glibc
import RestAPI
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
            let respondent = try Respondent.acting(viewing)
            defer { respondent.close() }
            try viewing.show(respondent.get("/local/radio", [("source", viewing.source)]), text)
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
                fields.add(place == 0 ? "Channels" : "", ChannelSharing.line(channel))
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
    /// - Returns: false: no.
    func confirm(_ question: String, retry: String) throws -> Bool {
        if yes { return true }
        guard isTerminal(STDIN_FILENO), isTerminal(STDERR_FILENO) else {
            throw failure(
                "this changes the radio, and there is no terminal to ask at; add --yes: \(retry) --yes", .usage)
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
        source.map { "\(path)?source=\(PercentEncoded.segment($0))" } ?? path
    }
}
