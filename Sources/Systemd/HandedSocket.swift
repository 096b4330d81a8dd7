import Glibc

/// A socket that systemd opened for this process before it started it (socket activation, sd_listen_fds(3)), or kept for it
/// since an earlier one (``ServiceManager/keep(_:as:)``).
public struct HandedSocket: Sendable, Equatable {
    public let descriptor: Int32
    /// FileDescriptorName= of its socket unit, else the unit's name; what it was kept as; empty when nobody says.
    public let name: String

    /// As the environment says, which it is taken out of, so that no child takes them for its own: call before the first
    /// thread. None of them is inherited by a child.
    public static func fromEnvironment() -> [HandedSocket] {
        func removeVariable(_ name: String) -> String? {
            defer { unsetenv(name) }
            return getenv(name).map { String(cString: $0) }
        }
        let (count, process, names) = (
            removeVariable("LISTEN_FDS"), removeVariable("LISTEN_PID"), removeVariable("LISTEN_FDNAMES")
        )
        return all(count: count, process: process, names: names)
    }

    /// - Parameters:
    ///   - count: LISTEN_FDS.
    ///   - process: LISTEN_PID; what was handed to another is not for us.
    ///   - names: LISTEN_FDNAMES, with colons between them.
    ///   - first: SD_LISTEN_FDS_START, the descriptor of the first.
    static func all(count: String?, process: String?, names: String?, from first: Int32 = 3) -> [HandedSocket] {
        // No process has more descriptors than this.
        guard process == "\(getpid())", let count = count.flatMap({ Int32($0) }), (1...65_536).contains(count) else {
            return []
        }
        let names = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        return (0..<count).compactMap { place in
            let descriptor = first + place
            let flags = fcntl(descriptor, F_GETFD)
            guard flags >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC)
            return HandedSocket(descriptor: descriptor, name: place < names.count ? String(names[Int(place)]) : "")
        }
    }
}
