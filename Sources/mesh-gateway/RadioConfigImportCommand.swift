import CommandLine
import JSON
import MeshProtocol
import Terminal

extension RadioCommand.Config {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Takes over a file of settings, after showing what would change.",
            discussion: """
                It reads the YAML of radio config export and of the official command (meshtastic --export-config). What \
                the file does not name stays. The radio's key pair stays, too, and it is never made a managed one. \
                The radio restarts once at most.
                """)

        @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"), completion: .file)
        var file: String

        @OptionGroup var confirming: Confirming
        @OptionGroup var viewing: Viewing

        func run() throws {
            let wanted = try SettingsFileText.read(file)
            let backend = try Backend.acting(viewing)
            defer { backend.close() }
            let preview = try backend.post(target, body: body(wanted, isPreview: true))
            for note in wanted.notes { writeToStandardError(Screen.lines(printable(note))) }
            guard changesSomething(preview.json) else {
                return try viewing.show(preview) {
                    Consequences.text($0) + "Nothing to change: the radio has these values.\n"
                }
            }
            confirming.show(text(preview.json), beside: viewing)
            let retry = "mesh-gateway radio config import \(file == "-" ? "-" : "FILE")"
            guard try confirming.confirm("Write this to the radio", retry: retry) else { throw ExitCode(1) }
            let page = try backend.post(target, body: body(wanted, isPreview: false))
            try RadioCommand.Config.showTaken(page, viewing, all: false)
        }

        private var target: String { viewing.target("/local/radio/file") }

        private func changesSomething(_ page: JSONValue) -> Bool {
            changed(page).isEmpty == false || slots(page).contains { $0["change"]?.string != "none" }
        }

        /// A file has everything; what stays as it is would hide what does not.
        private func changed(_ page: JSONValue) -> [JSONValue] {
            (page["changes"]?.array ?? []).filter { $0["isChange"]?.bool == true }
        }

        private func slots(_ page: JSONValue) -> [JSONValue] { page["slots"]?.array ?? [] }

        private func text(_ page: JSONValue) -> String {
            let (settings, slots) = (changed(page), slots(page))
            var parts: [String] = []
            if !settings.isEmpty { parts.append(SettingText.changes(settings, then: "THEN")) }
            if slots.contains(where: { $0["change"]?.string != "none" }) { parts.append(ChannelSlots.text(slots)) }
            return parts.joined(separator: "\n") + Consequences.text(page)
        }

        private func body(_ wanted: ReadSettingsFile, isPreview: Bool) -> String {
            let changes = wanted.changes.map { change in
                JSONText.object([
                    ("path", JSONText.quoted(change.path)), ("value", JSONText.quoted(change.text)),
                ])
            }
            var members = [("changes", "[\(changes.joined(separator: ","))]"), ("preview", "\(isPreview)")]
            if let url = wanted.url { members.append(("url", JSONText.quoted(url))) }
            let texts = wanted.texts.map { ($0.key.name, JSONText.quoted($0.value)) }
            if !texts.isEmpty { members.append(("texts", JSONText.object(texts))) }
            if let place = wanted.place {
                var location = [("latitudeI", "\(place.latitudeI)"), ("longitudeI", "\(place.longitudeI)")]
                if let altitude = place.altitude { location.append(("altitude", "\(altitude)")) }
                members.append(("location", JSONText.object(location)))
            }
            return JSONText.object(members)
        }
    }
}
