import Foundation
import Testing

@testable import ServedProgram

/// A real file system of a few megabytes (tmpfs), which can be filled, emptied and mounted read-only. It is mounted in a
/// namespace of its own and gone with the test. Who is not root gets one as the root of a user namespace.
final class SmallDisk {
    /// Where it is mounted, for programs that are started through ``entrance``.
    let path: String
    private let holder: Program
    private let folders: Folders

    init(in folders: Folders, megabytes: Int) throws {
        self.folders = folders
        path = "\(folders.root)/disk"
        let script = """
            mkdir -p "$1" && mount -t tmpfs -o size=$2m,mode=755 small "$1" && echo mounted && exec sleep 1000
            """
        holder = try Program(
            [Self.namespace(in: folders), "sh", "-c", script, "sh", path, "\(megabytes)"], in: folders,
            executable: "/usr/bin/unshare")
        _ = try holder.output.line(containing: "mounted")
    }

    /// The option of `unshare` for a namespace in which this user may mount.
    static func namespace(in folders: Folders) throws -> String {
        if geteuid() == 0 { return "-m" }
        let trial = try Program(["-rm", "true"], in: folders, executable: "/usr/bin/unshare")
        let isAllowed = try trial.exitCode() == 0
        try #require(
            isAllowed,
            "This user may mount nothing: there are no user namespaces for it, as in a chroot: \(trial.errors.text)")
        return "-rm"
    }

    /// What a program has to be started through to see the disk.
    var entrance: [String] {
        ["/usr/bin/nsenter", "-t", "\(holder.process)", "-m"]
            + (geteuid() == 0 ? [] : ["-U", "--preserve-credentials"]) + ["--"]
    }

    var database: String { "\(path)/mesh.db" }

    /// The same disk as this process sees it.
    private var outside: String { "/proc/\(holder.process)/root\(path)" }

    /// Takes all the room that is left.
    func fill() throws {
        let file = open("\(outside)/filling", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = [UInt8](repeating: 1, count: 65_536)
        // A page at a time at last.
        for size in [65_536, 4_096] { while write(file, bytes, size) == size {} }
    }

    func empty() throws { try #require(unlink("\(outside)/filling") == 0) }

    /// Goes only while nothing is open for writing there.
    func remount(_ options: String) throws {
        // Without its name, mount would repeat the owner that it reads of the disk, which means nobody in a user namespace.
        let mount = try Program(
            Array(entrance.dropFirst()) + ["mount", "-o", "remount,\(options)", "small", path], in: folders,
            executable: entrance[0])
        try #require(mount.exitCode() == 0, "\(mount.errors.text)")
    }

    /// A gateway that has its database there.
    func serve(device: String) throws -> ServedGateway {
        try ServedGateway(device: device, in: folders, ["--database", database], wrapper: entrance)
    }

    /// Runs a command that sees the disk.
    func run(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        let program = try Program(
            Array(entrance.dropFirst()) + [Program.path] + arguments, in: folders, executable: entrance[0])
        return (try program.exitCode(), program.output.text, program.errors.text)
    }
}
