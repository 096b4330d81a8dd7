import Glibc

/// A process that has a serial port open.
public struct PortHolder: Hashable, Sendable {
    public var process: Int32
    /// The name of its program, as /proc tells.
    public var name: String

    /// The first other process that has this device node open; nil when there is none, or none that we may look at.
    public static func holder(of path: String) -> PortHolder? {
        var device = stat()
        guard stat(path, &device) == 0, device.st_mode & S_IFMT == S_IFCHR else { return nil }
        for name in entries(of: "/proc") {
            guard let process = Int32(name), process != getpid() else { continue }
            if hasOpen(process, device.st_rdev) { return PortHolder(process: process, name: programName(process)) }
        }
        return nil
    }

    private static func hasOpen(_ process: Int32, _ device: dev_t) -> Bool {
        let directory = "/proc/\(process)/fd"
        return entries(of: directory).contains { descriptor in
            // Only what looks like a device is worth a stat, which could block on a dead network mount.
            guard let target = linkTarget("\(directory)/\(descriptor)"), target.hasPrefix("/dev/") else { return false }
            var status = stat()
            return stat("\(directory)/\(descriptor)", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
                && status.st_rdev == device
        }
    }

    private static func programName(_ process: Int32) -> String {
        let descriptor = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "?" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = retrying { read(descriptor, &bytes, bytes.count) }
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
    }
}
