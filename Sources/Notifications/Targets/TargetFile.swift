import Configuration
import Glibc
import Nettle
import Platform

// A file of targets.d: one target, in the syntax of mesh-gateway.conf. All mistakes are reported, not only the first, and none of
// them repeats a value: an address is a secret after its host.

public struct TargetFile: Sendable {
    public let name: String
    public let path: String
    /// nil if there is a mistake.
    public private(set) var target: Target?
    public private(set) var mistakes: [TargetMistake] = []
    /// The files with secrets that it names.
    public private(set) var secrets: [String] = []
    /// As written, even if something else is wrong.
    public private(set) var kind: String?
    var fallback: (name: String, line: Int)?

    enum Key: String, CaseIterable {
        case kind, url, tag, every, ca, header, fallback, proxy
        case secretFile = "secret-file"
        case urlsFile = "urls-file"
        case retryFor = "retry-for"
        case perHour = "per-hour"
        case perDay = "per-day"
        case allowLocal = "allow-local"
    }

    struct Setting {
        let key: Key
        let value: String
        let line: Int
    }

    struct BadValue: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// nil if the file has vanished meanwhile.
    public init?(path: String) {
        self.path = path
        let file = path.split(separator: "/").last.map(String.init) ?? path
        name = String(file.dropLast(".conf".count))
        var status = stat()
        // Reading a pipe would block.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            mistakes = [TargetMistake("is no file; a target is one of text: take this away", file: path)]
            return
        }
        do throws(ConfigurationError) {
            guard let lines = try SettingLines.read(path, mustExist: false) else { return nil }
            read(lines)
        } catch {
            guard case .unreadable(_, let reason) = error else { return }
            mistakes = [TargetMistake("cannot be read: \(reason); \(SecretFile.advice(path))", file: path)]
        }
    }

    public init(_ text: String, name: String, path: String) {
        (self.name, self.path) = (name, path)
        read(SettingLines(text, path: path))
    }

    private mutating func read(_ file: SettingLines) {
        for case .syntax(_, let line, let problem) in file.mistakes { add(problem, line) }
        if !Target.isName(name) {
            add(
                "a target is called after its file, in a-z, 0-9 and -, at most 64 of them; rename it, such as phone.conf"
            )
        }
        let settings = settings(of: file)
        secrets = settings.filter { $0.key == .secretFile || $0.key == .urlsFile }.map { place(of: $0.value) }
        guard let kind = settings.first(where: { $0.key == .kind }) else {
            return add(
                "it does not say what it is; write one of: kind = \(Target.Kind.words.joined(separator: ", kind = "))")
        }
        self.kind = kind.value
        guard Target.Kind.words.contains(kind.value) else {
            return add("kind cannot be this; write one of: \(Target.Kind.words.joined(separator: ", "))", kind.line)
        }
        guard let url = settings.first(where: { $0.key == .url }) else {
            return add("it has no url; write for example: url = \(Self.examples[kind.value] ?? "https://HOST/...")")
        }
        for setting in settings {
            if let others = Self.onlyFor[setting.key], !others.contains(kind.value) {
                add(
                    "\(setting.key.rawValue) is for \(others.joined(separator: " and ")) only; take the line out",
                    setting.line)
            }
        }
        fallback = settings.first { $0.key == .fallback }.map { ($0.value, $0.line) }
        guard mistakes.isEmpty else { return }
        do throws(BadValue) {
            let address = try Self.address(url.value, of: kind.value)
            var target = Target(name, try self.kind(kind.value, address, settings), address)
            for setting in settings {
                do throws(BadValue) { try set(setting, &target) } catch { add(error.text, setting.line) }
            }
            if mistakes.isEmpty { self.target = target }
        } catch {
            add(error.text, url.line)
        }
    }

    private mutating func settings(of file: SettingLines) -> [Setting] {
        var found: [Setting] = []
        for line in file.lines {
            let keys = Key.allCases.map(\.rawValue)
            guard let key = Key(rawValue: line.key) else {
                let advice = nearestWord(to: line.key, among: keys).map { "did you mean \"\($0)\"?" }
                add("unknown key; " + (advice ?? "the keys are \(keys.joined(separator: ", "))"), line.number)
                continue
            }
            if let first = found.first(where: { $0.key == key }), key != .header {
                add("\"\(key.rawValue)\" is already set in line \(first.line); leave one of them", line.number)
            } else if line.value.isEmpty {
                add("\(key.rawValue) has no value; write one, or take the line out", line.number)
            } else {
                found.append(Setting(key: key, value: line.value, line: line.number))
            }
        }
        return found
    }

    private mutating func add(_ text: String, _ line: Int? = nil) {
        mistakes.append(TargetMistake(text, file: path, line: line))
    }

    /// Rejects the target because of what another file says.
    mutating func refuse(_ text: String, _ line: Int?) {
        add(text, line)
        target = nil
    }

    // MARK: kinds

    /// Why an address does not fit this kind; nil if it does.
    public static func mistake(in url: String, of kind: String) -> String? {
        do throws(BadValue) {
            _ = try address(url, of: kind)
            return nil
        } catch { return error.text }
    }

    private static let notified = ["webhook", "ntfy", "apprise"]
    private static let onlyFor: [Key: [String]] = [
        .secretFile: ["webhook", "ntfy"], .urlsFile: ["apprise"], .tag: ["apprise"], .every: ["alive"],
        .retryFor: notified, .perHour: notified, .perDay: notified, .fallback: notified,
    ]

    public static let examples = [
        "webhook": "https://HOST/PATH", "ntfy": "https://ntfy.sh/TOPIC", "apprise": "http://HOST:8000/notify/KEY",
        "alive": "https://hc-ping.com/UUID",
    ]

    static func address(_ text: String, of kind: String) throws(BadValue) -> WebAddress {
        let address: WebAddress
        do throws(WebAddress.Refusal) { address = try WebAddress(text) } catch { throw BadValue("url: \(error.text)") }
        let parts = address.path.split(separator: "/", omittingEmptySubsequences: true)
        switch kind {
        case "ntfy":
            let topic = parts.first.map(String.init) ?? ""
            guard parts.count == 1, address.query.isEmpty, (1...64).contains(topic.utf8.count),
                topic.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
            else {
                throw BadValue(
                    "url: it ends with a topic of letters, digits, - and _; write for example: https://ntfy.sh/TOPIC")
            }
        case "apprise":
            guard let place = parts.lastIndex(of: "notify"), place >= parts.count - 2, address.query.isEmpty else {
                throw BadValue(
                    "url: it ends with /notify or /notify/KEY; write for example: http://HOST:8000/notify/KEY")
            }
        default: break
        }
        return address
    }

    private mutating func kind(
        _ word: String, _ address: WebAddress, _ settings: [Setting]
    ) throws(BadValue) -> Target.Kind {
        func setting(_ key: Key) -> Setting? { settings.first { $0.key == key } }
        switch word {
        case "webhook":
            guard let file = setting(.secretFile) else {
                throw BadValue(
                    "it has no secret-file, by which receivers know the gateway; sudo mesh-gateway target add makes one"
                )
            }
            guard let text = secret(file) else { return .webhook(secret: []) }
            guard let key = Base64.decodedLeniently(text.hasPrefix("whsec_") ? String(text.dropFirst(6)) : text),
                (24...64).contains(key.count)
            else {
                add("its file holds no secret of webhooks: whsec_ and the base64 of 24 to 64 bytes", file.line)
                return .webhook(secret: [])
            }
            return .webhook(secret: key)
        case "ntfy":
            let token = setting(.secretFile).flatMap { secret($0) }
            if let token, !Self.isHeaderText(token) || token.contains(" ") {
                add("its file holds no token: one line such as tk_...", setting(.secretFile)?.line)
            }
            return .ntfy(token: token)
        case "apprise":
            let isKept = !address.path.hasSuffix("/notify") && !address.path.hasSuffix("/notify/")
            let urls = setting(.urlsFile).flatMap { secret($0) }.map(Self.lines) ?? []
            if isKept, let file = setting(.urlsFile) {
                add(
                    "the server keeps the services of this key itself; take urls-file out, or end the url with /notify",
                    file.line)
            }
            if !isKept, setting(.urlsFile) == nil {
                throw BadValue(
                    "without a key behind /notify it needs urls-file, a file with the address of a service a line")
            }
            if !isKept, let tag = setting(.tag) {
                add("tag chooses among the services that the server keeps under a key; take the line out", tag.line)
            }
            return .apprise(urls: urls, tag: setting(.tag)?.value)
        default:
            guard let every = setting(.every) else { return .alive(every: 300_000) }
            do throws(BadValue) {
                return .alive(every: try Self.time(every, 30_000...86_400_000, "30s to 1d"))
            } catch {
                add(error.text, every.line)
                return .alive(every: 0)
            }
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0.drop { $0 == " " }) }.filter {
            !$0.isEmpty && $0.first != "#"
        }
    }

    // MARK: other keys

    private mutating func set(_ setting: Setting, _ target: inout Target) throws(BadValue) {
        let value = setting.value
        switch setting.key {
        case .kind, .url, .secretFile, .urlsFile, .tag, .every: break
        case .ca:
            target.authority = place(of: value)
            guard access(target.authority!, R_OK) == 0 else {
                throw BadValue("the file of ca cannot be read: \(errorText(errno))")
            }
        case .header: target.headers.append(try Self.header(value))
        case .retryFor: target.retryFor = try Self.time(setting, 60_000...2_592_000_000, "1m to 30d")
        case .perHour: target.allowance.perHour = try Self.limit(setting)
        case .perDay: target.allowance.perDay = try Self.limit(setting)
        case .fallback:
            guard value != name else { throw BadValue("it is its own fallback; name another target") }
            target.fallback = value
        case .allowLocal:
            guard value == "yes" || value == "no" else { throw BadValue("allow-local is yes or no") }
            target.isLocalAllowed = value == "yes"
        case .proxy:
            do throws(WebAddress.Refusal) {
                target.proxy = try WebAddress(value, schemes: [.http, .https, .socks5h])
            } catch { throw BadValue("proxy: \(error.text)") }
        }
    }

    /// Headers that the request itself needs.
    private static let ownHeaders = [
        "host", "content-length", "content-type", "transfer-encoding", "connection", "expect", "webhook-id",
        "webhook-timestamp", "webhook-signature",
    ]

    private static func header(_ text: String) throws(BadValue) -> Target.Header {
        guard let colon = text.firstIndex(of: ":") else {
            throw BadValue("a header is NAME: VALUE, such as header = X-Api-Key: 123")
        }
        let (name, value) = (String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
        let isToken =
            !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
        guard isToken, !value.isEmpty, isHeaderText(value), text.utf8.count <= 4_000 else {
            throw BadValue("a header is NAME: VALUE in plain characters, such as header = X-Api-Key: 123")
        }
        guard !ownHeaders.contains(name.lowercased()) else {
            throw BadValue("the header \(name) is the gateway's own; take the line out")
        }
        return Target.Header(name: name, value: value)
    }

    private static func isHeaderText(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    private static func limit(_ setting: Setting) throws(BadValue) -> Int? {
        if setting.value == "no" { return nil }
        guard let number = Int(setting.value), setting.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            Allowance.limits.contains(number)
        else {
            throw BadValue(
                "\(setting.key.rawValue) is a number from 1 to \(Allowance.limits.upperBound), or no for as many as there are"
            )
        }
        return number
    }

    private static func time(_ setting: Setting, _ range: ClosedRange<Int64>, _ words: String) throws(BadValue) -> Int64
    {
        guard setting.value.utf8.count <= 8, let time = TimeSpan.milliseconds(setting.value, in: range) else {
            throw BadValue("\(setting.key.rawValue) is a time from \(words), such as 5m or 24h")
        }
        return time
    }

    // MARK: files beside

    /// A relative path starts at the folder of the targets.
    private func place(of file: String) -> String {
        file.hasPrefix("/") ? file : "\(path.lastIndex(of: "/").map { path[..<$0] } ?? ".")/\(file)"
    }

    private mutating func secret(_ setting: Setting) -> String? {
        let file = place(of: setting.value)
        do throws(SecretFile.Refusal) {
            return try SecretFile.text(of: file)
        } catch {
            // Of one that is not there somebody may have written the secret itself in its place.
            add("\(error.isOfAFile ? file : "the file of \(setting.key.rawValue)") \(error.text)", setting.line)
            return nil
        }
    }
}
