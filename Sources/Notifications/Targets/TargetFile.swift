import Folders
import Glibc
import Platform

// A file of targets.d: one target, in the syntax of mesh-gateway.conf. All mistakes are reported, not only the first, and none of
// them repeats a value: an address is a secret after its host.

public struct TargetFile: FolderFile {
    public static let kind = FolderKind(
        folder: "targets.d", noun: "target", example: "phone.conf", limit: 100, holdsSecrets: true)

    public private(set) var found: FoundFile
    /// nil if there is a mistake.
    public private(set) var target: Target?
    /// The files with secrets that it names.
    public private(set) var secrets: [String] = []
    /// As written, even if something else is wrong.
    public private(set) var word: String?
    var fallback: (name: String, line: Int)?

    /// Those that every kind has; of the rest each kind knows its own.
    enum Key: String, CaseIterable {
        case kind, url, ca, header, fallback, proxy
        case retryFor = "retry-for"
        case perHour = "per-hour"
        case perDay = "per-day"
        case allowLocal = "allow-local"

        /// They are about notifications, which not every kind gets.
        static let ofTold: [Key] = [.retryFor, .perHour, .perDay, .fallback]
    }

    typealias Setting = FoundFile.Setting<String>

    private let kinds: [any FileReceiver.Type]

    public var content: Target? { target }

    public init(_ found: FoundFile) { self.init(found, kinds: Target.Kind.all) }

    init(_ text: String, name: String, path: String, kinds: [any FileReceiver.Type]) {
        self.init(FoundFile(text, name: name, path: path, Self.kind), kinds: kinds)
    }

    init(_ found: FoundFile, kinds: [any FileReceiver.Type]) {
        (self.found, self.kinds) = (found, kinds)
        if found.isRead { read() }
    }

    private mutating func read() {
        let settings = settings()
        secrets = settings.filter { $0.key.hasSuffix("-file") }.map { place(of: $0.value) }
        func setting(_ key: Key) -> Setting? { settings.first { $0.key == key.rawValue } }
        let words = kinds.map { $0.word }
        guard let kind = setting(.kind) else {
            return add("it does not say what it is; write one of: kind = \(words.joined(separator: ", kind = "))")
        }
        word = kind.value
        guard let receiver else {
            return add("kind cannot be this; write one of: \(words.joined(separator: ", "))", kind.line)
        }
        guard let url = setting(.url) else {
            return add("it has no url; write for example: url = \(receiver.example)")
        }
        for setting in settings {
            guard let kinds = kindsThatHave(setting.key), !kinds.contains(kind.value) else { continue }
            add("\(setting.key) is for \(kinds.joined(separator: " and ")) only; take the line out", setting.line)
        }
        fallback = setting(.fallback).map { ($0.value, $0.line) }
        guard mistakes.isEmpty else { return }
        do throws(BadValue) {
            let address = try Self.address(url.value, of: receiver)
            var reading = Reading(address, settings, self)
            defer { self = reading.file }
            reading.file.use(settings, Target(name, Target.Kind(try receiver.init(&reading)), address))
        } catch {
            add(error.text, url.line)
        }
    }

    /// What is written as its kind, if there is such a kind.
    private var receiver: (any FileReceiver.Type)? { word.flatMap { word in kinds.first { $0.word == word } } }

    /// It gets no notifications, and is called while all is well.
    public var isAlive: Bool { receiver?.isTold == false }

    /// The words of those kinds; nil if every kind has this key.
    private func kindsThatHave(_ key: String) -> [String]? {
        if let key = Key(rawValue: key) {
            return Key.ofTold.contains(key) ? kinds.filter { $0.isTold }.map { $0.word } : nil
        }
        return kinds.filter { $0.keys.contains(key) }.map { $0.word }
    }

    private mutating func use(_ settings: [Setting], _ target: Target) {
        var target = target
        for setting in settings {
            do throws(BadValue) { try set(setting, &target) } catch { add(error.text, setting.line) }
        }
        if mistakes.isEmpty { self.target = target }
    }

    private mutating func settings() -> [Setting] {
        var keys = Key.allCases.map(\.rawValue)
        for key in kinds.flatMap({ $0.keys }) where !keys.contains(key) { keys.append(key) }
        return found.settings(keys, repeatable: [Key.header.rawValue]).filter { setting in
            if setting.value.isEmpty { add(BadValue.empty(setting.key).text, setting.line) }
            return !setting.value.isEmpty
        }
    }

    private mutating func add(_ text: String, _ line: Int? = nil) { found.refuse(text, line) }

    /// Rejects the target because of what another file says.
    mutating func refuse(_ text: String, _ line: Int?) {
        add(text, line)
        target = nil
    }

    // MARK: kinds

    /// What a kind is given of its file.
    struct Reading {
        let address: WebAddress
        private let settings: [Setting]
        fileprivate var file: TargetFile

        fileprivate init(_ address: WebAddress, _ settings: [Setting], _ file: TargetFile) {
            (self.address, self.settings, self.file) = (address, settings, file)
        }

        subscript(key: String) -> Setting? { settings.first { $0.key == key } }

        /// The text of the file with a secret that this names; nil, and a mistake, if it cannot be had.
        mutating func secret(_ setting: Setting) -> String? { file.secret(setting) }

        mutating func refuse(_ text: String, _ setting: Setting) { file.add(text, setting.line) }
    }

    /// Why an address does not fit this kind; nil if it does.
    public static func mistake(in url: String, of kind: String) -> String? {
        guard let receiver = Target.Kind.all.first(where: { $0.word == kind }) else { return nil }
        do throws(BadValue) {
            _ = try address(url, of: receiver)
            return nil
        } catch { return error.text }
    }

    private static func address(_ text: String, of receiver: any FileReceiver.Type) throws(BadValue) -> WebAddress {
        let address: WebAddress
        do throws(WebAddress.Refusal) { address = try WebAddress(text) } catch { throw BadValue("url: \(error.text)") }
        try receiver.check(address)
        return address
    }

    // MARK: keys of all kinds

    private mutating func set(_ setting: Setting, _ target: inout Target) throws(BadValue) {
        let value = setting.value
        switch Key(rawValue: setting.key) {
        // A key of nobody's has been refused, and a kind reads its own.
        case nil, .kind, .url: break
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

    static func isHeaderText(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    private static func limit(_ setting: Setting) throws(BadValue) -> Int? {
        if setting.value == "no" { return nil }
        guard let number = Int(setting.value), setting.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            Allowance.limits.contains(number)
        else {
            throw BadValue(
                "\(setting.key) is a number from 1 to \(Allowance.limits.upperBound), or no for as many as there are"
            )
        }
        return number
    }

    static func time(_ setting: Setting, _ range: ClosedRange<Int64>, _ words: String) throws(BadValue) -> Int64 {
        guard setting.value.utf8.count <= 8, let time = TimeSpan.milliseconds(setting.value, in: range) else {
            throw BadValue("\(setting.key) is a time from \(words), such as 5m or 24h")
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
            add("\(error.isOfAFile ? file : "the file of \(setting.key)") \(error.text)", setting.line)
            return nil
        }
    }
}
