import Glibc
import Platform

/// Tells when something changes in the folders that a path leads through by links, and in the one where its file lies
/// (inotify(7)). A file is renewed in many ways: written over, replaced by rename(2), or a link on the way to it is
/// turned elsewhere; a watch of the file alone would go with the file.
struct FolderWatch: ~Copyable {
    /// Readable when something has changed; -1 when the kernel gives none.
    let descriptor: Int32
    /// Whether all of them tell: a folder that may be entered and not listed cannot be watched (inotify_add_watch(2)).
    let seesAll: Bool

    private static let changes =
        [IN_CLOSE_WRITE, IN_CREATE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_MOVE_SELF, IN_DELETE_SELF]
        .reduce(UInt32(0)) { $0 | UInt32($1) }

    /// Make it before looking at the files, so that nothing changes in between unseen.
    init(of paths: [String]) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        self.descriptor = descriptor
        guard descriptor >= 0 else {
            seesAll = false
            return
        }
        seesAll = Set(paths.flatMap(Self.folders))
            .map { inotify_add_watch(descriptor, $0, Self.changes) }.allSatisfy { $0 >= 0 }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Takes what has been told.
    func empty() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Of an absolute path. Where it leads nowhere, the last folder that is there: what is missing will come there.
    static func folders(leadingTo path: String) -> [String] {
        var folders: [String] = []
        var rest = parts(path)
        var place: [String] = []
        // As many links as the kernel follows (path_resolution(7)).
        var links = 0
        while let name = rest.popLast() {
            if name == ".." { _ = place.popLast() }
            if name == ".." || name == "." { continue }
            let next = "/" + (place + [name]).joined(separator: "/")
            var status = stat()
            guard lstat(next, &status) == 0 else { return folders + [folder(place)] }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                if rest.isEmpty { folders.append(folder(place)) }
                place.append(name)
                continue
            }
            folders.append(folder(place))
            links += 1
            guard links <= 40, let target = linkTarget(next) else { return folders }
            if target.hasPrefix("/") { place = [] }
            rest += parts(target)
        }
        return folders
    }

    /// The last one first.
    private static func parts(_ path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

    private static func folder(_ parts: [String]) -> String { "/" + parts.joined(separator: "/") }
}
