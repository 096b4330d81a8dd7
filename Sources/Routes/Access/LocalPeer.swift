import Glibc

/// Who may use the local socket without a token: the daemon's own user, root, and members of one group.
public struct LocalAdmission: Sendable {
    public let group: gid_t?

    public func admits(uid: uid_t, gid: gid_t) -> Bool {
        if uid == 0 || uid == geteuid() { return true }
        guard let group else { return false }
        return gid == group || Self.groups(of: uid, primary: gid).contains(group)
    }

    /// All groups of a user (`getgrouplist(3)`): the socket only tells the one that its process runs under.
    private static func groups(of uid: uid_t, primary: gid_t) -> [gid_t] {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return [] }
        var groups = [gid_t](repeating: 0, count: 256)
        var count = Int32(groups.count)
        let result = getgrouplist(entry.pw_name, primary, &groups, &count)
        return result < 0 ? [] : Array(groups.prefix(Int(count)))
    }
}
