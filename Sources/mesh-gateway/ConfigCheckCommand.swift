import CommandLine
import Configuration
import Folders
import Glibc
import HTTPServer
import MQTTBridge
import Notifications
import Rules
import Terminal

extension ConfigCommand {
    /// `mesh-gateway config check`: every mistake of file, drop-ins and environment.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract:
                "Checks the configuration file, its drop-ins, the rules, the targets, the brokers and the environment for mistakes.",
            discussion: """
                Each mistake is printed as a line FILE:LINE: on standard error, with what would be right there; the exit \
                code is then 78. Without a mistake it is 0. Warnings are things that are no mistake but perhaps not meant, \
                such as a device that is not there now; they do not change the exit code.
                """)

        @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file)
        var config: String?

        @Flag(help: "Print JSON for programs; its schemas are in /usr/share/mesh-gateway/schemas.")
        var json = false

        func run() throws {
            let reading = Configuration.read(file: config, environment: GatewayOptions.environment)
            let mistakes =
                (reading.mistakes + reading.configuration.emptied).map(Mistake.init)
                + Mistake.ofPorts(reading.configuration)
                + Mistake.ofCertificate(reading.configuration) + Mistake.ofAppleKey(reading.configuration)
                + Mistake.ofSockets(reading.configuration)
                + Mistake.ofFolders(besideFile: reading.file)
            let warnings = ConfigWarning.all(reading) + ConfigWarning.brokers(besideFile: reading.file)
            if json {
                writeJSON(Self.json(reading, mistakes, warnings))
            } else if mistakes.isEmpty {
                let lines = [Self.summary(reading)] + warnings.map { printable($0.line) }
                writeToStandardOutput(lines.map { $0 + "\n" }.joined())
            } else {
                for mistake in mistakes { writeToStandardError(printable(mistake.text) + "\n") }
            }
            if !mistakes.isEmpty { throw ExitCode(ExitStatus.configuration.rawValue) }
        }

        private struct Mistake {
            let text: String
            let file: String?
            let line: Int?

            init(_ error: ConfigurationError) {
                (text, file, line) = ("\(error)", error.file, error.line)
            }

            private init(_ text: String) { (self.text, file, line) = (text, nil, nil) }

            /// With these a start is refused.
            static func ofSockets(_ settings: Configuration) -> [Mistake] {
                guard let mistake = localSocketAmongListeners(settings, GatewayOptions.socketPath(settings)) else {
                    return []
                }
                return [Mistake(mistake, at: settings.origin(of: .listen))]
            }

            private init(_ text: String, at origin: Origin) {
                self.text = "\(origin): \(text)"
                if case .file(let path, let number) = origin {
                    (file, line) = (path, number)
                } else {
                    (file, line) = (nil, nil)
                }
            }

            /// A start goes on without them, and a reload with what was in force before.
            static func ofFolders(besideFile file: String) -> [Mistake] {
                let brokers = BrokersFolder(besideFile: file).read()
                let found =
                    RulesFolder(besideFile: file).read().allMistakes
                    + TargetsFolder(besideFile: file).read().allMistakes
                    + brokers.mistakes + (brokers.files ?? []).flatMap { $0.mistakes + $0.mistakesOfFiles }
                return found.map { Mistake($0) }
            }

            private init(_ mistake: Folders.Mistake) { (text, file, line) = ("\(mistake)", mistake.file, mistake.line) }

            /// What only the machine tells: that two paths are one port.
            static func ofPorts(_ settings: Configuration) -> [Mistake] {
                guard let (one, another) = DeviceSetting.portNamedTwice(in: settings.devices) else { return [] }
                let origin = settings.origins(of: .device).last ?? .builtIn
                return [Mistake("\(origin): device \(one) and \(another) are the same port; a port is named once")]
            }

            /// With which a start goes on, and Apple's devices are not told.
            static func ofAppleKey(_ settings: Configuration) -> [Mistake] {
                guard let mistake = AppleSettings.mistake(settings) else { return [] }
                return [Mistake("apns-key: \(mistake)", at: settings.origin(of: .appleKey))]
            }

            /// With which a start would be refused. What this user may not look at is no mistake yet.
            static func ofCertificate(_ settings: Configuration) -> [Mistake] {
                guard let files = CertificateFiles(settings) else { return [] }
                do {
                    _ = try ServerCertificate(files)
                    return []
                } catch  where error.isForbidden {
                    return []
                } catch {
                    let key = error.setting(of: files)
                    return [Mistake("\(key.rawValue): \(error)", at: settings.origin(of: key))]
                }
            }
        }

        /// What was read.
        private static func summary(_ reading: Configuration.Reading) -> String {
            let dropIns = reading.dropIns.count
            var read = reading.hasFile ? [printable(reading.file)] : []
            if dropIns > 0 { read.append(dropIns == 1 ? "1 drop-in" : "\(dropIns) drop-ins") }
            let isFromEnvironment = Key.allCases.contains { reading.configuration.origin(of: $0).kind == "environment" }
            if isFromEnvironment { read.append("the environment") }
            let said = read.isEmpty ? "the built-in values are used" : "read \(read.joined(separator: ", "))"
            let missing = reading.hasFile ? "" : "there is no \(printable(reading.file)); "
            return "no mistakes: \(missing)\(said)"
        }

        private static func json(
            _ reading: Configuration.Reading, _ mistakes: [Mistake], _ warnings: [ConfigWarning]
        ) -> String {
            let found = mistakes.map { mistake in
                JSONText.object([
                    ("file", mistake.file.map(JSONText.quoted) ?? "null"),
                    ("line", mistake.line.map { "\($0)" } ?? "null"),
                    ("message", JSONText.quoted(mistake.text)),
                ])
            }
            let doubtful = warnings.map { warning in
                JSONText.object([
                    ("name", JSONText.quoted(warning.name)), ("message", JSONText.quoted(warning.text)),
                    ("from", warning.origin.map { JSONText.quoted("\($0)") } ?? "null"),
                ])
            }
            return JSONText.object([
                ("schema", JSONText.quoted("config-check/1")), ("via", JSONText.quoted("host")),
                ("file", JSONText.quoted(reading.file)), ("isThere", "\(reading.hasFile)"),
                ("dropIns", JSONText.array(reading.dropIns)), ("mistakes", "[\(found.joined(separator: ","))]"),
                ("warnings", "[\(doubtful.joined(separator: ","))]"),
            ])
        }
    }
}
