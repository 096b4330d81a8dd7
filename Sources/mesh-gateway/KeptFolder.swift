import Glibc
import Platform
import Terminal

// The folder in which `rule`, `target` and `mqtt` commands write and delete files.
//
// 1. A user's command takes the folder that the running daemon names, else the one beside this user's configuration file.
// 2. Root takes the one beside the configuration file that root's own command reads. Whatever answers at the socket is only
//    compared with it: a program of the service's account could name any folder of root's.
// 3. Root neither writes nor deletes where others may write. They could put a link to another file in place meanwhile.

/// The folder to use, without symbolic links for root.
///
/// - Parameters:
///   - own: beside the configuration file that this command reads.
///   - told: what the running daemon says; nil: none runs, or it has none.
///   - kind: what is in it, such as "rules".
/// - Throws: a sentence for a person.
func keptFolder(own: String, told: String?, of kind: String) throws -> String {
    guard geteuid() == 0 else { return told ?? own }
    let folder = resolved(own)
    if let told, resolved(told) != folder {
        throw failure(
            "the running daemon has its \(kind) in \(printable(told)), and root's configuration puts them into "
                + "\(printable(own)): nothing was changed. Name the daemon's configuration file with --config FILE, or "
                + "leave sudo out if the daemon is your own.", .configuration)
    }
    if let open = openToOthers(folder) {
        throw failure(
            "others than root may write in \(printable(open)), so root changes nothing there: type the command as the "
                + "folder's owner, or close it first: sudo chown root \(printable(open)) && sudo chmod go-w "
                + "\(printable(open))", .noPermission)
    }
    return folder
}

/// Without symbolic links, as far as it is there.
private func resolved(_ path: String) -> String {
    if let real = realPath(path) { return real }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return path }
    return resolved(String(path[..<slash])) + path[slash...]
}

/// The folder itself, or one around it, in which others than root could put something else in its place; nil: none. In a
/// sticky one, such as /tmp, nobody renames what is root's.
///
/// - Parameter path: without symbolic links. A folder that is not there yet counts as the one in which it is made.
private func openToOthers(_ path: String) -> String? {
    var (place, isInner) = (path, true)
    while true {
        var info = stat()
        if lstat(place, &info) == 0 {
            let isWritable = info.st_mode & 0o022 != 0 && (isInner || info.st_mode & S_ISVTX == 0)
            if info.st_uid != 0 || isWritable { return place }
            isInner = false
        }
        guard place.count > 1, let slash = place.lastIndex(of: "/") else { return nil }
        place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
}
