import Configuration
import Glibc
import MeshModel
import Platform

// A file of brokers.d: one broker, in the syntax of mesh-gateway.conf. Every mistake is found, not only the first.
//
//   url            = mqtts://mesh@house.example
//   password-file  = /etc/mesh-gateway/broker-password
//   home-assistant = favourites

/// A parsed file: its broker, or the mistakes in it.
public struct BrokerFile: Sendable {
    public let name: String
    public let path: String
    /// nil if there is a mistake.
    public private(set) var broker: Broker?
    public private(set) var mistakes: [BrokerMistake] = []
    /// The line of the url, for the mistake when a second file has the same broker.
    public private(set) var urlLine: Int?
    /// The line of each key.
    private var lines: [Key: Int] = [:]

    enum Key: String, CaseIterable {
        case url, ca, certificate, key
        case passwordFile = "password-file"
        case clientID = "client-id"
        case keepAlive = "keep-alive"
        case homeAssistant = "home-assistant"
        case homeAssistantPrefix = "home-assistant-prefix"
    }

    /// nil if the file has vanished meanwhile.
    public init?(path: String) {
        let name = String((path.split(separator: "/").last ?? "").dropLast(".conf".count))
        var status = stat()
        // A pipe would be waited for.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            self.init(noFile: name, path: path)
            return
        }
        do throws(ConfigurationError) {
            guard let lines = try SettingLines.read(path, mustExist: false) else { return nil }
            self.init(lines, name: name)
        } catch {
            self.init(unreadable: error, name: name, path: path)
        }
    }

    private init(noFile name: String, path: String) {
        (self.name, self.path) = (name, path)
        add("is no file; a broker is one of text: take this away, or give it another name", nil)
    }

    private init(unreadable error: ConfigurationError, name: String, path: String) {
        (self.name, self.path) = (name, path)
        guard case .unreadable(_, let reason) = error else { return }
        add("cannot be read: \(reason); let the gateway's user read it: sudo chmod a+r \(path)", nil)
    }

    public init(_ text: String, name: String, path: String) {
        self.init(SettingLines(text, path: path), name: name)
    }

    private init(_ file: SettingLines, name: String) {
        (self.name, path) = (name, file.path)
        for case .syntax(_, let line, let problem) in file.mistakes { add(problem, line) }
        if !Self.isName(name) {
            add(
                "a broker is called after its file, in a-z, 0-9 and -, at most 64 of them; rename it, for example: "
                    + "house.conf", nil)
        }
        var broker = Broker(name, path: file.path)
        let settings = settings(of: file)
        for setting in settings {
            if setting.key == .url { urlLine = setting.line }
            lines[setting.key] = setting.line
            do throws(UnfitValue) {
                try broker.set(setting.key, setting.value)
            } catch {
                add(error.text, setting.line)
            }
        }
        checkTogether(broker, settings)
        mistakes.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        if mistakes.isEmpty { self.broker = broker }
    }

    /// What is wrong with the files that it names, as they are now. They keep no broker out of force, because they are read at each
    /// connection. What this user may not read is no mistake.
    public var mistakesOfFiles: [BrokerMistake] {
        guard let broker else { return [] }
        return broker.files.compactMap { named in
            named.mistake.map {
                BrokerMistake(
                    "\(named.key): \(named.path) \($0)", file: path,
                    line: Key(rawValue: named.key).flatMap { lines[$0] })
            }
        }
    }

    /// Whether it is 1 to 64 characters of a-z, 0-9 and -.
    public static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    private mutating func settings(of file: SettingLines) -> [(key: Key, value: String, line: Int)] {
        var found: [(key: Key, value: String, line: Int)] = []
        for line in file.lines {
            let keys = Key.allCases.map(\.rawValue)
            guard let key = Key(rawValue: line.key) else {
                let advice = nearestWord(to: line.key, among: keys).map { "did you mean \"\($0)\"?" }
                add(
                    "unknown key \"\(line.key)\"; " + (advice ?? "the keys are \(keys.joined(separator: ", "))"),
                    line.number)
                continue
            }
            if let first = found.first(where: { $0.key == key }) {
                add("\"\(key.rawValue)\" is already set in line \(first.line); leave one of them", line.number)
                continue
            }
            found.append((key, line.value, line.number))
        }
        return found
    }

    private mutating func checkTogether(_ broker: Broker, _ settings: [(key: Key, value: String, line: Int)]) {
        func line(_ key: Key) -> Int? { settings.first { $0.key == key }?.line }
        if line(.url) == nil {
            add("it does not say where the broker is; write for example: url = mqtt://homeassistant.local", nil)
        }
        if let line = line(.passwordFile), broker.user == nil, !broker.host.isEmpty {
            add("a password needs a user; write it in the url, for example: url = mqtt://mesh@\(broker.host)", line)
        }
        if (line(.certificate) == nil) != (line(.key) == nil) {
            add("certificate and key belong together; write both", line(.certificate) ?? line(.key))
        }
        if !broker.hasTLS, !broker.host.isEmpty {
            for key in [Key.ca, .certificate, .key] {
                if let line = line(key) { add("\(key.rawValue) is for TLS; write mqtts:// in the url", line) }
            }
        }
        for file in broker.files where file.key != Key.passwordFile.rawValue && file.isOther {
            add("\(file.key): \(file.path) is no file; name one of PEM", Key(rawValue: file.key).flatMap(line))
        }
        if let line = line(.homeAssistantPrefix), broker.homeAssistant == nil {
            add("home-assistant-prefix needs home-assistant; write for example: home-assistant = favourites", line)
        }
    }

    /// Rejects this file's broker, because `other` has it already.
    mutating func refuse(becauseOf other: BrokerFile) {
        guard let broker else { return }
        add("\(broker.host):\(broker.port) is the broker of \(other.path) already; leave one of them", urlLine)
        self.broker = nil
    }

    private mutating func add(_ text: String, _ line: Int?) {
        mistakes.append(BrokerMistake(text, file: path, line: line))
    }
}

extension Broker {
    fileprivate mutating func set(_ key: BrokerFile.Key, _ value: String) throws(UnfitValue) {
        guard !value.isEmpty else { throw UnfitValue("\(key.rawValue) has no value; write one, or take the line out") }
        switch key {
        case .url: try setURL(value)
        case .passwordFile: passwordFile = try path(key, value)
        case .ca: authorities = try path(key, value)
        case .certificate: certificate = try path(key, value)
        case .key: self.key = try path(key, value)
        case .clientID: clientID = try topicPart(key, value, longest: 65_535)
        case .keepAlive:
            guard let seconds = Int(value), (5...3600).contains(seconds) else {
                throw UnfitValue("keep-alive cannot be \"\(value)\"; write seconds from 5 to 3600, such as 60")
            }
            keepAlive = seconds
        case .homeAssistant: homeAssistant = try chosenNodes(value)
        case .homeAssistantPrefix: prefix = try topicPart(key, value, longest: 200)
        }
    }

    private mutating func setURL(_ text: String) throws(UnfitValue) {
        let example = "write for example: url = mqtts://mesh@house.example:8883"
        var rest: Substring
        if text.hasPrefix("mqtts://") {
            (hasTLS, port, rest) = (true, 8883, text.dropFirst(8))
        } else if text.hasPrefix("mqtt://") {
            rest = text.dropFirst(7)
        } else {
            throw UnfitValue("url begins with mqtt:// or mqtts://; \(example)")
        }
        while rest.last == "/" { rest.removeLast() }
        if let at = rest.lastIndex(of: "@") {
            let name = rest[..<at]
            guard !name.contains(":") else {
                throw UnfitValue(
                    "a password does not belong in the url; write it into a file of its own, and password-file = FILE")
            }
            guard !name.isEmpty else { throw UnfitValue("the url has no user before @; \(example)") }
            user = String(name)
            rest = rest[rest.index(after: at)...]
        }
        let hasBrackets = rest.first == "["
        let end = hasBrackets ? rest.firstIndex(of: "]") : rest.lastIndex(of: ":")
        let name = hasBrackets ? end.map { rest[..<$0].dropFirst() } : end.map { rest[..<$0] } ?? rest
        guard let name, !name.isEmpty, !name.contains(where: { $0 == "/" || $0.isWhitespace }),
            hasBrackets || !name.contains(":")
        else { throw UnfitValue("url \"\(text)\" has no host; \(example)") }
        host = String(name)
        let behind = end.map { hasBrackets ? rest[$0...].dropFirst() : rest[$0...] } ?? ""
        guard !behind.isEmpty else { return }
        guard behind.first == ":", let number = Int(behind.dropFirst()), (1...65_535).contains(number) else {
            throw UnfitValue("the port of \"\(text)\" is none; write a number from 1 to 65535, or leave it out")
        }
        port = number
    }

    private func path(_ key: BrokerFile.Key, _ value: String) throws(UnfitValue) -> String {
        guard value.hasPrefix("/") else {
            throw UnfitValue(
                "\(key.rawValue) is a path that begins with /; write for example: /etc/mesh-gateway/\(value)")
        }
        return value
    }

    /// A value for topics or a client id: no wildcards, no control characters.
    private func topicPart(_ key: BrokerFile.Key, _ value: String, longest: Int) throws(UnfitValue) -> String {
        let isFit = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "+" && $0 != "#" }
        guard isFit, value.utf8.count <= longest, !value.hasPrefix("/"), !value.hasSuffix("/") else {
            throw UnfitValue(
                "\(key.rawValue) cannot be \"\(value)\"; it has no +, no #, and no / at its ends, and is not longer than "
                    + "\(longest) bytes")
        }
        return value
    }

    private func chosenNodes(_ value: String) throws(UnfitValue) -> ChosenNodes {
        switch value {
        case "favourites", "favorites": return .favourites
        case "direct": return .direct
        case "all": return .all
        default:
            var nodes: [NodeNumber] = []
            for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "," }) {
                guard let node = NodeNumber(id: word), node.mayBeNode else {
                    throw UnfitValue(
                        "home-assistant cannot have \"\(word)\"; write favourites, direct, all, or ids of nodes such as "
                            + "!a1b2c3d4")
                }
                if !nodes.contains(node) { nodes.append(node) }
            }
            return .listed(nodes)
        }
    }
}

extension Broker.NamedFile {
    /// nil if it can be used, or if this user may not read it.
    fileprivate var mistake: String? {
        // A pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = errno
            return reason == EACCES ? nil : "cannot be read: \(errorText(reason))"
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "is no file" }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = retrying { read(descriptor, &bytes, bytes.count) }
        guard count > 0 else { return "is empty" }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        if key == "password-file" {
            let line = text.prefix { !$0.isNewline }
            return line.isEmpty || count == bytes.count ? "has no password in its first line" : nil
        }
        return count == bytes.count || text.contains("-----BEGIN") ? nil : "is no PEM file, which has -----BEGIN in it"
    }
}
