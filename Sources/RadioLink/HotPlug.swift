import Glibc

/// Watches the directories in which a radio's device node can appear, or become accessible, by inotify.
struct HotPlug {
    /// Readable when something has changed; -1 when the kernel gives no watch.
    let descriptor: Int32
    let isWatching: Bool

    /// - Parameter path: the device that is awaited; nil: any. /dev is watched in any case, as a device that comes back
    ///   under another name is found too.
    init(awaiting path: String?) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        // IN_ATTRIB: udev gives the node its group and mode only after the kernel has made it.
        let changes = UInt32(IN_CREATE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
        var isWatching = inotify_add_watch(descriptor, "/dev", changes) >= 0
        if let path {
            // The nearest directory that exists: /dev/serial comes and goes with the devices in it.
            var parts = path.split(separator: "/").dropLast()
            while true {
                let directory = "/" + parts.joined(separator: "/")
                if inotify_add_watch(descriptor, directory, changes) >= 0 {
                    isWatching = true
                    break
                }
                if parts.popLast() == nil { break }
            }
        }
        self.isWatching = isWatching
    }

    /// Takes what has been reported.
    func empty() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while retrying({ read(descriptor, &bytes, bytes.count) }) > 0 {}
    }

    func stop() { if descriptor >= 0 { close(descriptor) } }
}
