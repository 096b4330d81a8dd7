// Every mistake is found, not only the first: who repairs a file wants to do so once.

extension Configuration {
    /// What file, drop-ins, environment and options say.
    public struct Reading: Sendable {
        /// With the values of everything that is right.
        public private(set) var configuration = Configuration()
        /// In the order of the sources, the weakest first, and of the lines in each.
        public private(set) var mistakes: [ConfigurationError] = []
        /// The file that was looked for.
        public let file: String
        public fileprivate(set) var hasFile = false
        /// The paths of those that were read, the strongest last.
        public fileprivate(set) var dropIns: [String] = []
        /// What else lies in the directory of the drop-ins, hidden files aside.
        public fileprivate(set) var ignored: [String] = []

        fileprivate init(file: String) { self.file = file }

        fileprivate mutating func add(_ found: FoundSettings) {
            var mistakes = found.mistakes
            for setting in found.settings {
                do throws(Mistakes) { try configuration.apply(setting) } catch { mistakes += error.all }
            }
            self.mistakes += mistakes.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
            configuration.emptied += found.emptied
        }

        fileprivate mutating func add(_ mistake: ConfigurationError) { mistakes.append(mistake) }

        /// What only all sources together show.
        fileprivate mutating func checkPairs() {
            checkShares()
            checkCertificate()
            checkApple()
        }

        /// A port is one radio's: of several, somebody has to say which.
        private mutating func checkShares() {
            guard configuration.devices.count > 1 else { return }
            let origins = configuration.origins(of: .share)
            for (share, origin) in zip(configuration.shares, origins) where share.source == nil {
                add(.shareWithoutSource("\(share)", origin: origin))
            }
        }

        private mutating func checkCertificate() {
            let (certificate, key) = (Key.certificate, Key.certificateKey)
            let isGiven = (configuration.certificate != nil, configuration.certificateKey != nil)
            guard isGiven.0 != isGiven.1 else { return }
            let (there, missing) = isGiven.0 ? (certificate, key) : (key, certificate)
            // Not again for one whose value is a mistake of its own.
            guard !mistakes.contains(where: { $0.key == missing }) else { return }
            add(.incomplete(there, without: missing, origin: configuration.origin(of: there)))
        }

        private mutating func checkApple() {
            let keys = [Key.appleKey, .appleKeyID, .appleTeam, .appleTopic]
            guard let there = keys.first(where: { !configuration.values(of: $0).isEmpty }) else { return }
            for missing in keys where configuration.values(of: missing).isEmpty {
                // Not again for one whose value is a mistake of its own.
                guard !mistakes.contains(where: { $0.key == missing }) else { continue }
                add(.incomplete(there, without: missing, origin: configuration.origin(of: there)))
            }
        }
    }

    /// Puts all sources together as ``load(file:environment:options:)`` does, past the mistakes.
    public static func read(
        file: String? = nil, environment: [String: String], options: Options = Options()
    ) -> Reading {
        let named = file ?? environment["MESH_GATEWAY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        var reading = Reading(file: named ?? defaultFile)
        if let found = ConfigurationFile.settings(of: reading.file, mustExist: named != nil) {
            reading.hasFile = true
            reading.add(found)
        }
        do throws(ConfigurationError) {
            let (dropIns, ignored) = try ConfigurationFile.dropIns(reading.file + ".d")
            reading.ignored = ignored
            for path in dropIns {
                guard let found = ConfigurationFile.settings(of: path, mustExist: false) else { continue }
                reading.dropIns.append(path)
                reading.add(found)
            }
        } catch {
            reading.add(error)
        }
        reading.add(Environment.settings(environment))
        reading.add(FoundSettings(settings: options.settings))
        reading.checkPairs()
        return reading
    }
}

/// What one source says, and what of it cannot be read.
struct FoundSettings {
    var settings: [GivenSetting] = []
    var mistakes: [ConfigurationError] = []
    /// With which a daemon starts all the same.
    var emptied: [ConfigurationError] = []
}
