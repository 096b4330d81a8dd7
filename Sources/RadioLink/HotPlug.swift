import Glibc
import Platform

/// Watches the directories in which a radio's device node can appear, or become accessible, by inotify.
struct HotPlug {
    /// Readable when something has changed; -1 when the kernel gives none.
    let descriptor: Int32
    /// False: the kernel gives no watch, and only looking again now and then can help.
    private(set) var isWatching = false

    // IN_ATTRIB: udev gives the node its group and mode only after the kernel has made it.
    private static let changes = UInt32(IN_CREATE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)

    init() { descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }

    /// To be called before each look, so that nothing appears in between unseen: /dev/serial/by-id comes and goes with the
    /// devices in it, and a directory that was made since needs a watch of its own.
    ///
    /// - Parameter path: the device that is awaited; nil: any. /dev is watched in any case, as a device that comes back
    ///   under another name is found too.
    mutating func watch(awaiting path: String?) {
        isWatching = add("/dev")
        guard let path else { return }
        var directory = path.split(separator: "/").dropLast()
        var missing: [Substring] = []
        while !add("/" + directory.joined(separator: "/")) {
            guard let name = directory.popLast() else { return }
            missing.append(name)
        }
        isWatching = true
        // What was made while we went up is there now; what is made from here on will be reported.
        while let name = missing.popLast() {
            directory.append(name)
            guard add("/" + directory.joined(separator: "/")) else { return }
        }
    }

    /// inotify_add_watch(2); a second one for the same directory changes nothing.
    private func add(_ directory: String) -> Bool { inotify_add_watch(descriptor, directory, Self.changes) >= 0 }

    /// Takes what has been reported.
    func empty() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while retrying({ read(descriptor, &bytes, bytes.count) }) > 0 {}
    }

    func stop() { if descriptor >= 0 { close(descriptor) } }
}
