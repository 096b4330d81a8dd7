import Glibc

/// A user of the host, as passwd(5) and what stands in for it have them.
public struct UserAccount: Sendable {
    public let name: String
    public let id: uid_t
    /// The primary one.
    public let group: gid_t

    /// Nil: there is no such user.
    public init?(id: uid_t) {
        self.init { getpwuid_r(id, $0, $1, $2, $3) }
    }

    public init?(name: String) {
        self.init { getpwnam_r(name, $0, $1, $2, $3) }
    }

    private init?(
        _ find: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var space = [CChar](repeating: 0, count: 4096)
        // In here: the names lie in the space.
        let account: (String, uid_t, gid_t)? = space.withUnsafeMutableBufferPointer { space in
            guard find(&entry, space.baseAddress!, space.count, &found) == 0, found != nil else { return nil }
            return (String(cString: entry.pw_name), entry.pw_uid, entry.pw_gid)
        }
        guard let account else { return nil }
        (name, id, group) = account
    }

    /// All groups of which the user is a member, `group` among them (getgrouplist(3)); at most 256.
    ///
    /// - Parameter group: the primary one where a process runs under another than the account's.
    public func groups(primary group: gid_t? = nil) -> Set<gid_t> {
        var groups = [gid_t](repeating: 0, count: 256)
        var count = Int32(groups.count)
        guard getgrouplist(name, group ?? self.group, &groups, &count) >= 0 else { return [] }
        return Set(groups.prefix(Int(count)))
    }
}

/// The groups under which this process runs.
public func ownGroups() -> Set<gid_t> {
    var groups = [gid_t](repeating: 0, count: 256)
    let count = getgroups(256, &groups)
    return Set(groups.prefix(Int(max(0, count))) + [getegid()])
}

/// The name of the user under which this process runs; the number of one without a name.
public func ownUserName() -> String { UserAccount(id: geteuid())?.name ?? "\(geteuid())" }

/// Nil: the group has no name.
public func groupName(_ id: gid_t) -> String? {
    group(find: { getgrgid_r(id, $0, $1, $2, $3) }) { String(cString: $0.gr_name) }
}

/// Nil: there is no such group.
public func groupID(_ name: String) -> gid_t? {
    group(find: { getgrnam_r(name, $0, $1, $2, $3) }) { $0.gr_gid }
}

private func group<Value>(
    find: (
        UnsafeMutablePointer<Glibc.group>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<Glibc.group>?>
    ) -> Int32, _ read: (Glibc.group) -> Value
) -> Value? {
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    // A group of a thousand members has a long line.
    var space = [CChar](repeating: 0, count: 65_536)
    return space.withUnsafeMutableBufferPointer { space in
        guard find(&entry, space.baseAddress!, space.count, &found) == 0, found != nil else { return nil }
        return read(entry)
    }
}
