import Glibc
import Platform

/// The computer as its kernel shows it: /proc, /sys, /run and /etc below a root of one's own choice, so that tests can lay
/// a tree of files in their place.
public struct Host: Sendable {
    /// In front of every path; empty for the real one.
    public var root: String
    /// Runs a program and gives its output, exit code 0 or not; nil when it cannot be run, or takes too long.
    public var run: @Sendable (_ words: [String]) -> String?

    public init(root: String = "", run: @escaping @Sendable ([String]) -> String? = { Subprocess.output(of: $0) }) {
        self.root = root
        self.run = run
    }

    /// The beginning of a file, without blanks and line ends at its end; nil when it cannot be read.
    public func text(_ path: String, longest: Int = 262_144) -> String? {
        // A pipe must not be waited for.
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < longest {
            let count = retrying { read(descriptor, &buffer, buffer.count) }
            if count < 0, bytes.isEmpty { return nil }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    public func number(_ path: String) -> Int64? { text(path).flatMap { Int64($0) } }

    public func lines(_ path: String) -> [Substring] { text(path)?.split(separator: "\n") ?? [] }

    /// The names in a folder, sorted; none when it cannot be read.
    public func names(in folder: String) -> [String] { Platform.names(in: root + folder) ?? [] }

    /// readlink(2).
    public func target(of link: String) -> String? { linkTarget(root + link) }

    public func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Of this computer's own users (passwd(5)); the number of another.
    func userName(_ id: UInt32) -> String {
        for line in lines("/etc/passwd") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, UInt32(fields[2]) == id { return String(fields[0]) }
        }
        return "\(id)"
    }
}

// MARK: processes

extension Host {
    public struct Process: Hashable, Sendable {
        public var id: Int32
        public var name: String

        public init(id: Int32, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The processes whose program has one of these names, as /proc tells (15 bytes at most).
    func processes(named names: Set<String>) -> [Process] {
        self.names(in: "/proc").compactMap { entry in
            guard let id = Int32(entry), let name = text("/proc/\(entry)/comm"), names.contains(name) else {
                return nil
            }
            return Process(id: id, name: name)
        }
    }

    /// The file that a process runs, " (deleted)" behind it when that has been replaced (proc(5)); nil when it is not ours
    /// to see.
    public func executable(of process: Int32) -> String? { target(of: "/proc/\(process)/exe") }

    /// What a person types to end a process: by its service, which would start it again otherwise.
    public func commandToStop(_ process: Int32) -> String {
        guard let unit = unit(of: process) else { return "sudo kill \(process)" }
        let isOfAUser = controlGroup(of: process).hasPrefix("/user.slice/")
        return (isOfAUser ? "systemctl --user stop " : "sudo systemctl stop ") + shellWord(unit)
    }

    /// The service that a process belongs to, without ".service".
    func unit(of process: Int32) -> String? {
        guard let unit = controlGroup(of: process).split(separator: "/").last, unit.hasSuffix(".service") else {
            return nil
        }
        return String(unit.dropLast(8))
    }

    /// "/system.slice/nginx.service" of "0::/system.slice/nginx.service" (cgroups(7)).
    private func controlGroup(of process: Int32) -> String {
        lines("/proc/\(process)/cgroup").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) } ?? ""
    }

    /// Who listens on a TCP port of this computer.
    public enum Listener: Equatable {
        case nobody
        case process(Process)
        /// Somebody whose descriptors are not ours to see.
        case somebody
    }

    public func listener(onTCPPort port: UInt16) -> Listener {
        var sockets: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in lines(table).dropFirst() {
                // "  sl  local_address rem_address   st tx:rx tr:tm retr uid timeout inode", state 0A is LISTEN (proc(5)).
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":"),
                    UInt16(fields[1][fields[1].index(after: colon)...], radix: 16) == port
                else { continue }
                sockets.insert("socket:[\(fields[9])]")
            }
        }
        guard !sockets.isEmpty else { return .nobody }
        for entry in names(in: "/proc") {
            guard let id = Int32(entry) else { continue }
            let holds = names(in: "/proc/\(entry)/fd").contains { descriptor in
                target(of: "/proc/\(entry)/fd/\(descriptor)").map { sockets.contains($0) } ?? false
            }
            if holds { return .process(Process(id: id, name: text("/proc/\(entry)/comm") ?? "?")) }
        }
        return .somebody
    }
}
