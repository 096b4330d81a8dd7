import CommandLine
import Glibc
import JSON
import QRCodes
import Terminal

/// `mesh-gateway channel`: sharing the radio's channels, and taking over somebody else's.
struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Shares the radio's channels as a link, and imports somebody else's.",
        subcommands: [URL.self, Add.self])

    /// A channel in one line.
    static func line(_ channel: JSONValue) -> String {
        var parts = ["\(channel["index"]?.integer ?? 0) \(channel["name"]?.string ?? "?")"]
        if channel["role"]?.string == "primary" { parts.append("primary") }
        parts.append(key(channel))
        if channel["authenticated"]?.bool == true { parts.append("authenticated") }
        if let bits = channel["positionPrecision"]?.integer, bits > 0 { parts.append("positions at \(bits) bits") }
        if channel["uplinkEnabled"]?.bool == true { parts.append("to MQTT") }
        if channel["downlinkEnabled"]?.bool == true { parts.append("from MQTT") }
        return parts.joined(separator: ", ")
    }

    private static func key(_ channel: JSONValue) -> String {
        switch channel["key"]?.string {
        case "none": "no key"
        case "public": "the public key"
        case "own": "a key of its own (\((channel["keyBytes"]?.integer ?? 0) * 8) bits)"
        default: "the primary channel's key"
        }
    }

    struct URL: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "url",
            abstract: "Prints the link with which others get the radio's channels, for an app or as a QR code.",
            discussion: "Whoever has the link has the channels' keys. The primary channel's alone without --all.")

        @Flag(help: "All channels.")
        var all = false

        @Flag(help: "Also print a QR code.")
        var qr = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let page = try backend.get(
                "/local/channel-link", [("source", viewing.source), ("all", all ? "1" : nil)])
            let url = page.json["url"]?.string ?? ""
            if viewing.json { return try viewing.show(page) { _ in "" } }
            for channel in page.json["channels"]?.array ?? [] {
                writeToStandardError(printable("Channel \(ChannelCommand.line(channel))") + "\n")
            }
            writeToStandardError("Warning: whoever has this link has the channels' keys and can read along.\n")
            if qr {
                guard let code = QRCode(url) else {
                    throw failure(
                        "the link is too long for a QR code; share fewer channels, without --all.", .dataError)
                }
                writeToStandardOutput(code.drawn)
            }
            writeToStandardOutput(url + "\n")
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Imports the channels of a link, after showing what would change.",
            discussion: """
                Without --replace the link's channels are added in free slots, and nothing else changes. With \
                --replace they replace all channels, and the link's region, modem settings and hop limit replace those \
                of the radio.
                """)

        @Argument(help: "The link, in quotes.")
        var link: String

        @Flag(help: "Replace the radio's channels and LoRa settings.")
        var replace = false

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let preview = try backend.post(target, body: body(isPreview: true))
            if preview.json["changesNothing"]?.bool == true {
                return try viewing.show(preview) { text($0) + "Nothing to change.\n" }
            }
            confirming.show(text(preview.json), beside: viewing)
            let retry = "mesh-gateway channel add LINK" + (replace ? " --replace" : "")
            guard try confirming.confirm("Write this to the radio", retry: retry) else { throw ExitCode(1) }
            let page = try backend.post(target, body: body(isPreview: false))
            try viewing.show(page) { _ in "Done.\n" }
        }

        private var target: String { viewing.target("/local/channel-link") }

        private func body(isPreview: Bool) -> String {
            JSONText.object([
                ("url", JSONText.quoted(link)), ("replace", "\(replace)"), ("preview", "\(isPreview)"),
            ])
        }

        private func text(_ page: JSONValue) -> String {
            var text = ChannelSlots.text(page["slots"]?.array ?? [])
            let lora = page["changes"]?.array ?? []
            if !lora.isEmpty { text += "\n" + SettingText.changes(lora, then: replace ? "THEN" : "IN THE LINK") }
            return text + notes(page, differs: !lora.isEmpty) + Consequences.text(page)
        }

        private func notes(_ page: JSONValue, differs: Bool) -> String {
            var notes: [String] = []
            if !replace, page["isMadeToReplace"]?.bool == true {
                notes.append("The link is made to replace all channels and the LoRa settings; --replace does that.")
            }
            if !replace, differs {
                notes.append(
                    "Its channels are heard only with its LoRa settings, which stay as they are without --replace.")
            }
            return notes.flatMap { wrapped($0, to: Screen.width) }.map { $0 + "\n" }.joined()
        }
    }
}

extension QRCode {
    /// As it is shown on this terminal; empty where it does not fit, which a person is told.
    var drawn: String {
        if let width = Screen.width, width < columns {
            writeToStandardError(
                "The QR code needs \(columns) columns and there are \(width): make the window wider or the letters "
                    + "smaller.\n")
            return ""
        }
        let isColoured = isColourWanted(on: STDOUT_FILENO, environment: GatewayOptions.environment)
        return text(isColoured ? .colours : .onDark)
    }
}
