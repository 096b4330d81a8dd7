import Folders
import Glibc
import MeshModel
import Platform

// A file of brokers.d: one broker, in the syntax of mesh-gateway.conf. Every mistake is found, not only the first.
//
//   url            = mqtts://mesh@house.example
//   password-file  = /etc/mesh-gateway/broker-password
//   home-assistant = favourites

/// The folder of the brokers: brokers.d beside the configuration file in use.
public typealias BrokersFolder = SettingsFolder<BrokerFile>

/// A parsed file: its broker, or the mistakes in it.
public struct BrokerFile: FolderFile {
    /// More than anybody needs.
    public static let kind = FolderKind(folder: "brokers.d", noun: "broker", example: "house.conf", limit: 16)

    public private(set) var found: FoundFile
    /// nil if there is a mistake.
    public private(set) var broker: Broker?
    /// The line of each key.
    private var lines: [Key: Int] = [:]

    public var content: Broker? { broker }
    public var urlLine: Int? { lines[.url] }

    enum Key: String, CaseIterable {
        case url, ca, certificate, key
        case passwordFile = "password-file"
        case clientID = "client-id"
        case keepAlive = "keep-alive"
        case homeAssistant = "home-assistant"
        case homeAssistantPrefix = "home-assistant-prefix"
        case homeAssistantTexts = "home-assistant-texts"
        case homeAssistantDirect = "home-assistant-direct"
        case homeAssistantCommands = "home-assistant-commands"

        /// Keys that say nothing without `home-assistant`.
        static let ofHomeAssistant = [
            homeAssistantPrefix, homeAssistantTexts, homeAssistantDirect, homeAssistantCommands,
        ]
    }

    public init(_ found: FoundFile) {
        self.found = found
        guard found.isRead else { return }
        var broker = Broker(name, path: path)
        let settings = self.found.settings(of: Key.self)
        for setting in settings {
            lines[setting.key] = setting.line
            do throws(BadValue) {
                try broker.set(setting.key, setting.value)
            } catch {
                add(error.text, setting.line)
            }
        }
        checkTogether(broker)
        if mistakes.isEmpty { self.broker = broker }
    }

    /// What is wrong with the files that it names, as they are now. They keep no broker out of force, because they are read at each
    /// connection. What this user may not read is no mistake.
    public var mistakesOfFiles: [Mistake] {
        guard let broker else { return [] }
        return broker.files.compactMap { named in
            named.mistake.map {
                Mistake(
                    "\(named.key): \(named.path) \($0)", file: path,
                    line: Key(rawValue: named.key).flatMap { lines[$0] })
            }
        }
    }

    /// Of the API's path under which the conversations over brokers stand, beside those of brokers by their names.
    private static let takenName = "conversations"

    private mutating func checkTogether(_ broker: Broker) {
        if name == Self.takenName {
            add("a broker cannot be called \(name); give the file another name, such as house.conf", nil)
        }
        func line(_ key: Key) -> Int? { lines[key] }
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
        // One that is there with a mistake has said so.
        for key in Key.ofHomeAssistant where line(.homeAssistant) == nil {
            guard let line = line(key) else { continue }
            add("\(key.rawValue) needs home-assistant; write for example: home-assistant = favourites", line)
        }
    }

    private mutating func add(_ text: String, _ line: Int?) { found.refuse(text, line) }
}

extension BrokerFile {
    /// Checks that no two files are one broker, which would be connected to twice under one client id. It stays with the file that
    /// has it already, or else with the first one by name.
    public static func checked(_ files: [BrokerFile], kept: [String: Broker]) -> [BrokerFile] {
        var files = files
        while let (twin, owner) = firstTwin(in: files, kept) {
            let broker = files[twin].broker
            files[twin].add(
                "\(broker?.host ?? ""):\(broker?.port ?? 0) is the broker of \(files[owner].path) already; leave one of "
                    + "them", files[twin].urlLine)
            files[twin].broker = nil
        }
        return files
    }

    /// A file whose broker another one has.
    private static func firstTwin(in files: [BrokerFile], _ kept: [String: Broker]) -> (twin: Int, owner: Int)? {
        // What stays in force, whatever the others say, comes first; then what has not moved.
        func rank(_ index: Int) -> Int {
            guard let broker = files[index].broker else { return 0 }
            return kept[files[index].name]?.isSame(as: broker) == true ? 1 : 2
        }
        var owners: [(broker: Broker, index: Int)] = []
        for index in files.indices.sorted(by: { (rank($0), $0) < (rank($1), $1) }) {
            guard let broker = files[index].broker ?? kept[files[index].name] else { continue }
            let owner = owners.first { $0.broker.isSame(as: broker) }
            if let owner, files[index].broker != nil { return (index, owner.index) }
            owners.append((broker, index))
        }
        return nil
    }
}

extension Broker {
    fileprivate mutating func set(_ key: BrokerFile.Key, _ value: String) throws(BadValue) {
        guard !value.isEmpty else { throw BadValue.empty(key.rawValue) }
        switch key {
        case .url: try setURL(value)
        case .passwordFile: passwordFile = try path(key, value)
        case .ca: authorities = try path(key, value)
        case .certificate: certificate = try path(key, value)
        case .key: self.key = try path(key, value)
        case .clientID: clientID = try topicPart(key, value, longest: 65_535)
        case .keepAlive:
            guard let seconds = Int(value), (5...3600).contains(seconds) else {
                throw BadValue("keep-alive cannot be \"\(value)\"; write seconds from 5 to 3600, such as 60")
            }
            keepAlive = seconds
        case .homeAssistant: homeAssistant = try chosenNodes(value)
        case .homeAssistantPrefix: prefix = try topicPart(key, value, longest: 200)
        case .homeAssistantTexts: speech.channels = try namedChannels(value)
        case .homeAssistantDirect: speech.isDirect = try yesOrNo(key, value)
        case .homeAssistantCommands: speech.takesCommands = try yesOrNo(key, value)
        }
    }

    private func yesOrNo(_ key: BrokerFile.Key, _ value: String) throws(BadValue) -> Bool {
        switch value {
        case "yes": return true
        case "no": return false
        default: throw BadValue("\(key.rawValue) cannot be \"\(value)\"; write yes or no")
        }
    }

    /// Bytes.
    private static let longestChannelName = 11
    private static let mostChannels = 64

    /// Channels with commas between, each as CHANNEL or CHANNEL@RADIO.
    private func namedChannels(_ value: String) throws(BadValue) -> [NamedChannel] {
        var found: [NamedChannel] = []
        for part in value.split(separator: ",") {
            let text = String(part).trimmed
            if text.isEmpty { continue }
            let channel = try namedChannel(text)
            if !found.contains(channel) { found.append(channel) }
        }
        guard !found.isEmpty else {
            throw BadValue("home-assistant-texts names no channel; write for example: home-assistant-texts = 0, Hikers")
        }
        guard found.count <= Self.mostChannels else {
            throw BadValue("home-assistant-texts names more than \(Self.mostChannels) channels; leave some of them out")
        }
        return found
    }

    private func namedChannel(_ text: String) throws(BadValue) -> NamedChannel {
        var (name, radio) = (text, String?.none)
        // The last one: a channel's name may have one, too.
        if let at = text.lastIndex(of: "@") {
            (name, radio) = (String(text[..<at]).trimmed, String(text[text.index(after: at)...]).trimmed.lowercased())
        }
        if let radio, DeviceID(object: "radio_\(radio)") == nil {
            throw BadValue(
                "home-assistant-texts \"\(text)\": behind @ stands a radio by the first eight digits of its id, as "
                    + "in radio_89abcdef of Home Assistant; write for example: \(name)@89abcdef")
        }
        guard !name.isEmpty else {
            throw BadValue("home-assistant-texts \"\(text)\" names no channel; write for example: 0@89abcdef")
        }
        if let number = Int(name), !(0...7).contains(number) {
            throw BadValue("home-assistant-texts \(name): no channel has this number; a radio's are 0 to 7")
        }
        guard name.utf8.count <= Self.longestChannelName else {
            throw BadValue(
                "home-assistant-texts \"\(name)\" has more than the \(Self.longestChannelName) bytes of a channel's "
                    + "name; between two channels write a comma")
        }
        return NamedChannel(name, of: radio)
    }

    private mutating func setURL(_ text: String) throws(BadValue) {
        let example = "write for example: url = mqtts://mesh@house.example:8883"
        var rest: Substring
        if text.hasPrefix("mqtts://") {
            (hasTLS, port, rest) = (true, 8883, text.dropFirst(8))
        } else if text.hasPrefix("mqtt://") {
            rest = text.dropFirst(7)
        } else {
            throw BadValue("url begins with mqtt:// or mqtts://; \(example)")
        }
        while rest.last == "/" { rest.removeLast() }
        if let at = rest.lastIndex(of: "@") {
            let name = rest[..<at]
            guard !name.contains(":") else {
                throw BadValue(
                    "a password does not belong in the url; write it into a file of its own, and password-file = FILE")
            }
            guard !name.isEmpty else { throw BadValue("the url has no user before @; \(example)") }
            user = String(name)
            rest = rest[rest.index(after: at)...]
        }
        let hasBrackets = rest.first == "["
        let end = hasBrackets ? rest.firstIndex(of: "]") : rest.lastIndex(of: ":")
        let name = hasBrackets ? end.map { rest[..<$0].dropFirst() } : end.map { rest[..<$0] } ?? rest
        guard let name, !name.isEmpty, !name.contains(where: { $0 == "/" || $0.isWhitespace }),
            hasBrackets || !name.contains(":")
        else { throw BadValue("url \"\(text)\" has no host; \(example)") }
        host = String(name)
        let behind = end.map { hasBrackets ? rest[$0...].dropFirst() : rest[$0...] } ?? ""
        guard !behind.isEmpty else { return }
        guard behind.first == ":", let number = Int(behind.dropFirst()), (1...65_535).contains(number) else {
            throw BadValue("the port of \"\(text)\" is none; write a number from 1 to 65535, or leave it out")
        }
        port = number
    }

    private func path(_ key: BrokerFile.Key, _ value: String) throws(BadValue) -> String {
        guard value.hasPrefix("/") else {
            throw BadValue(
                "\(key.rawValue) is a path that begins with /; write for example: /etc/mesh-gateway/\(value)")
        }
        return value
    }

    /// A value for topics or a client id: no wildcards, no control characters.
    private func topicPart(_ key: BrokerFile.Key, _ value: String, longest: Int) throws(BadValue) -> String {
        let isFit = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "+" && $0 != "#" }
        guard isFit, value.utf8.count <= longest, !value.hasPrefix("/"), !value.hasSuffix("/") else {
            throw BadValue(
                "\(key.rawValue) cannot be \"\(value)\"; it has no +, no #, and no / at its ends, and is not longer than "
                    + "\(longest) bytes")
        }
        return value
    }

    private func chosenNodes(_ value: String) throws(BadValue) -> ChosenNodes {
        switch value {
        case "favourites", "favorites": return .favourites
        case "direct": return .direct
        case "all": return .all
        default:
            var nodes: [NodeNumber] = []
            for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "," }) {
                guard let node = NodeNumber(id: word), node.mayBeNode else {
                    throw BadValue(
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
