import Glibc
import Platform

/// A process that has a serial port open.
public struct PortHolder: Hashable, Sendable {
    public var process: Int32
    /// The name of its program, as /proc tells.
    public var name: String

    /// The first other process that has this device node open; nil when there is none, or none that we may look at.
    public static func holder(of path: String) -> PortHolder? {
        var device = stat()
        guard stat(path, &device) == 0, device.st_mode & S_IFMT == S_IFCHR else { return nil }
        for name in names(in: "/proc") ?? [] {
            guard let process = Int32(name), process != getpid() else { continue }
            if hasOpen(process, device) { return PortHolder(process: process, name: programName(process)) }
        }
        return nil
    }

    private static func hasOpen(_ process: Int32, _ device: stat) -> Bool {
        let directory = "/proc/\(process)/fd"
        return (names(in: directory) ?? []).contains { descriptor in
            // Only what looks like a device is worth a stat, which could block on a dead network mount.
            guard let target = linkTarget("\(directory)/\(descriptor)"), target.hasPrefix("/dev/") else { return false }
            var status = stat()
            return stat("\(directory)/\(descriptor)", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
                && isSame(status, device)
        }
    }

    /// A serial port is known by its number, by whatever name a container has it. Pseudo terminals have numbers of their
    /// own in each file system for them, and so in each container.
    private static func isSame(_ one: stat, _ other: stat) -> Bool {
        let isPseudoTerminal = (136...143).contains(major(one.st_rdev))  // UNIX98_PTY_SLAVE_MAJOR, eight of them
        return one.st_rdev == other.st_rdev && (!isPseudoTerminal || one.st_dev == other.st_dev)
    }

    private static func major(_ device: dev_t) -> UInt64 { UInt64(device) >> 8 & 0xfff }

    private static func programName(_ process: Int32) -> String {
        let descriptor = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "?" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = retrying { read(descriptor, &bytes, bytes.count) }
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
    }
}
