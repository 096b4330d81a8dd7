import Folders
import Glibc
import MeshModel
import Platform

/// A broker, as its file in brokers.d describes it.
public struct Broker: FileContent, Hashable, Sendable {
    /// Which nodes become devices of Home Assistant.
    public enum ChosenNodes: Hashable, Sendable {
        case favourites
        /// Heard without a relay within the last seven days.
        case direct
        case all
        case listed([NodeNumber])
    }

    /// A channel of a radio, as a file names it.
    public struct NamedChannel: Hashable, Sendable {
        /// An index 0 to 7, or a name.
        public let name: String
        /// The first eight digits of its source's UUID; nil for the oldest enabled source, which `default` means elsewhere.
        public let radio: String?

        init(_ name: String, of radio: String? = nil) { (self.name, self.radio) = (name, radio) }

        /// As the file has it.
        public var text: String { radio.map { "\(name)@\($0)" } ?? name }
    }

    /// What Home Assistant hears of what is said, and whether it may say something.
    public struct Speech: Hashable, Sendable {
        /// Channels whose texts it hears.
        public internal(set) var channels: [NamedChannel] = []
        /// It hears what was sent to a radio alone.
        public internal(set) var isDirect = false
        /// It may send texts and press buttons.
        public internal(set) var takesCommands = false

        init() {}
    }

    /// The file's name without ".conf".
    public let name: String
    /// The file's path.
    public let path: String
    public var host = ""
    public var port = 1883
    public var hasTLS = false
    public var user: String?
    public var passwordFile: String?
    /// Paths of PEM files; without `authorities` the system's are used.
    public var authorities: String?
    public var certificate: String?
    public var key: String?
    /// nil to derive it from the gateway's own name.
    public var clientID: String?
    /// Seconds.
    public var keepAlive = 60
    /// nil if nothing is published for Home Assistant.
    public var homeAssistant: ChosenNodes?
    public internal(set) var speech = Speech()
    /// Home Assistant's discovery prefix.
    public var prefix = "homeassistant"

    init(_ name: String, path: String) { (self.name, self.path) = (name, path) }

    /// "mqtts://house.example:8883", without a user.
    public var address: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(hasTLS ? "mqtts" : "mqtt")://\(name):\(port)"
    }

    /// Whether both are one broker, which is connected to once.
    public func isSame(as other: Broker) -> Bool {
        host.lowercased() == other.host.lowercased() && port == other.port
    }

    /// The value of `home-assistant`, as a file writes it.
    public var shownNodes: String? {
        switch homeAssistant {
        case .favourites: "favourites"
        case .direct: "direct"
        case .all: "all"
        case .listed(let numbers): numbers.map(\.id).joined(separator: " ")
        case nil: nil
        }
    }

    /// A file that the broker's file names.
    public struct NamedFile: Hashable, Sendable {
        /// The key that names it.
        public let key: String
        public let path: String
        /// Nobody but the service may read it.
        public let isSecret: Bool

        /// Every user of this computer can read it.
        public var isOpenSecret: Bool {
            var status = stat()
            return isSecret && stat(path, &status) == 0 && status.st_mode & 0o004 != 0
        }

        /// It is there, and is no file: a pipe, a device or a folder.
        var isOther: Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        }
    }

    public var files: [NamedFile] {
        [
            ("password-file", passwordFile, true), ("ca", authorities, false), ("certificate", certificate, false),
            ("key", key, true),
        ].compactMap { key, path, isSecret in path.map { NamedFile(key: key, path: $0, isSecret: isSecret) } }
    }

    /// Why a configured password is missing.
    struct NoPassword: Error, CustomStringConvertible {
        let description: String
    }

    /// A path that is no file. Opening a pipe would wait for its other end.
    struct NoFile: Error, CustomStringConvertible {
        let description: String
    }

    /// One that is missing is not asked about: the library says so.
    func checkCertificates() throws(NoFile) {
        for file in files where file.key != "password-file" && file.isOther {
            throw NoFile(description: "its \(file.key) is no file")
        }
    }

    /// The first line of the password file, read at each connection so that it may be replaced without a reload. Errors do not name
    /// the file, because clients see them, too.
    func password() throws -> String? {
        guard let passwordFile else { return nil }
        // A pipe would be waited for.
        let descriptor = open(passwordFile, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw NoPassword(description: "its password-file cannot be read: \(errorText(errno))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = retrying { read(descriptor, &bytes, bytes.count) }
        guard count >= 0 else {
            throw NoPassword(description: "its password-file cannot be read: \(errorText(errno))")
        }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard count < bytes.count, let password = String(validating: line, as: UTF8.self), !password.isEmpty else {
            throw NoPassword(description: "its password-file has no password in its first line")
        }
        return password
    }

    /// Whether a password would be sent in clear text to an address that is not known to be local.
    public var sendsPasswordInClear: Bool { passwordFile != nil && !hasTLS && !Self.isOfThisHouse(host) }

    /// A name without a dot or below .local, .lan, .home.arpa or .internal, or an address of a private network.
    static func isOfThisHouse(_ host: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            let address = UInt32(bigEndian: four.s_addr)
            let networks: [(UInt32, UInt32)] = [
                (0x7F00_0000, 8), (0x0A00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16), (0xA9FE_0000, 16),
            ]
            return networks.contains { address >> (32 - $0.1) == $0.0 >> (32 - $0.1) }
        }
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, host, &six) == 1 {
            // ::1, fc00::/7, fe80::/10.
            return six == [UInt8](repeating: 0, count: 15) + [1] || six[0] & 0xFE == 0xFC
                || (six[0] == 0xFE && six[1] & 0xC0 == 0x80)
        }
        let name = host.lowercased()
        return !name.contains(".") || [".local", ".lan", ".home.arpa", ".internal"].contains { name.hasSuffix($0) }
    }
}
