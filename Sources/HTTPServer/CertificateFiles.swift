import Glibc
import Platform

/// Where a certificate with its chain and its private key lie, in PEM form.
public struct CertificateFiles: Sendable, Equatable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// What the two files hold now.
    struct Contents {
        var certificate: [UInt8]
        var key: [UInt8]

        /// Nobody finds the key in freed memory (explicit_bzero).
        mutating func forget() {
            key.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
        }
    }

    func read() throws(CertificateError) -> Contents {
        Contents(certificate: try Self.read(certificate), key: try Self.read(key))
    }

    /// Whether everybody on this machine may read the key: the file is open to all, and so is every folder on the way.
    public var isKeyOpenToAll: Bool {
        guard let path = realPath(key) else { return false }
        let folders = path.indices.filter { path[$0] == "/" }.map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
        return Self.isOpen(path, S_IROTH) && folders.allSatisfy { Self.isOpen($0, S_IXOTH) }
    }

    private static func isOpen(_ path: String, _ permission: mode_t) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & permission != 0
    }

    /// More than any chain of certificates has.
    private static let largest = 1 << 20

    private static func read(_ path: String) throws(CertificateError) -> [UInt8] {
        // A pipe without a writer would hold up the start.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { throw .missing(path: path) }
            throw .unreadable(path: path, code: code)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
            throw .notAPEMFile(path: path)
        }
        // One more than announced shows that it has grown meanwhile: somebody writes it.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { bytes in
                retrying { Glibc.read(descriptor, bytes.baseAddress! + count, bytes.count - count) }
            }
            guard more >= 0 else { throw .unreadable(path: path, code: errno) }
            if more == 0 { break }
            count += more
        }
        guard count <= Int(status.st_size) else { throw .unreadable(path: path, code: EAGAIN) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
