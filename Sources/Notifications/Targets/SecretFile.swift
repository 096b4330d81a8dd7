import Folders
import Glibc
import Platform

/// A file with a secret: reads it, and checks who else can.
public enum SecretFile {
    struct Refusal: Error {
        let text: String
        /// There is such a file.
        var isOfAFile = true
    }

    private static let longest = 65_536

    /// The text without blanks and line ends around it.
    static func text(of path: String) throws(Refusal) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let reason = errno
            throw Refusal(
                text: "cannot be read: \(errorText(reason))"
                    + (reason == EACCES ? "; \(advice(path))" : "; sudo mesh-gateway target add writes it"),
                isOfAFile: access(path, F_OK) == 0)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal(text: "is no file")
        }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var count = 0
        while count < bytes.count {
            let room = bytes.count - count
            let got = bytes.withUnsafeMutableBytes { buffer in
                retrying { read(descriptor, buffer.baseAddress! + count, room) }
            }
            guard got > 0 else { break }
            count += got
        }
        guard count <= longest, let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw Refusal(text: "is no text of at most 64 kB")
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        let start = text.drop(while: isBlank)
        let trimmed = start.lastIndex { !isBlank($0) }.map { String(start[...$0]) } ?? ""
        guard !trimmed.isEmpty else { throw Refusal(text: "is empty") }
        return trimmed
    }

    /// How to let the service read it, and nobody else.
    public static func advice(_ path: String) -> String { FolderKind.adviceOnSecret(path) }

    /// Why it is a bad place for a secret; nil if it is a good one.
    ///
    /// - Parameter folder: the one of /etc/mesh-gateway where it would be well.
    public static func warning(_ path: String, folder home: String = "targets.d") -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & 0o004 != 0 {
            return "\(path) holds a secret, and every user of this computer can read it: sudo chmod o-r \(path)"
        }
        let real = realPath(path) ?? path
        if let folder = ["/home/", "/root/", "/tmp/", "/var/tmp/", "/run/user/"].first(where: { real.hasPrefix($0) }) {
            return
                "\(path) lies below \(folder.dropLast()), where the service does not see it: sudo mv \(path) /etc/mesh-gateway/\(home)/"
        }
        return nil
    }
}
