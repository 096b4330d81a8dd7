import Glibc

/// Whether the file system of a file is mounted read-only (`statvfs`), as the kernel also does with a damaged one.
func isOnReadOnlyDisk(_ path: String) -> Bool {
    var system = statvfs()
    guard statvfs(DatabaseFile.split(path).folder, &system) == 0 else { return false }
    return system.f_flag & UInt(ST_RDONLY) != 0
}
