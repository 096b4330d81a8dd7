import Glibc

/// Why a server could not be made or started. `description` is a sentence for the person at the command line.
public enum HTTPServerError: Error, Equatable, CustomStringConvertible {
    case portTaken(address: String)
    case portNotPermitted(address: String)
    case addressNotHere(host: String)
    case unknownHost(host: String, reason: String)
    case socketPathTooLong(path: String, longest: Int)
    case socketDirectoryMissing(path: String)
    case socketNotPermitted(path: String)
    case socketInUse(path: String)
    case notASocket(path: String)
    /// A socket that was handed over carries datagrams, or is none at all.
    case notAStreamSocket(name: String)
    /// A socket that was handed over is a connection, or nobody has called listen(2).
    case notListening(name: String)
    /// A system call failed in a way that has no advice of its own.
    case system(call: String, subject: String, code: Int32)

    public var description: String {
        switch self {
        case .portTaken(let address):
            "\(address) is already in use by another program; stop that one (ss -ltnp shows it) or listen elsewhere"
        case .portNotPermitted(let address):
            "no permission to listen on \(address): ports below 1024 need a privilege; take a higher port"
        case .addressNotHere(let host):
            "the address \(host) does not belong to this machine (ip address lists its own)"
        case .unknownHost(let host, let reason):
            "the host name \(host) cannot be resolved: \(reason)"
        case .socketPathTooLong(let path, let longest):
            "the socket path \(path) is longer than the \(longest) bytes that Linux allows"
        case .socketDirectoryMissing(let path):
            "the directory of the socket \(path) does not exist"
        case .socketNotPermitted(let path):
            "no permission to create the socket \(path)"
        case .socketInUse(let path):
            "another program already listens on the socket \(path)"
        case .notASocket(let path):
            "\(path) exists and is not a socket; it is left alone"
        case .notAStreamSocket(let name):
            "the \(name) that was handed over is no TCP or Unix stream socket; its socket unit needs ListenStream="
        case .notListening(let name):
            "the \(name) that was handed over does not listen; its socket unit needs Accept=no"
        case .system(let call, let subject, let code):
            "\(call) failed for \(subject): \(String(cString: strerror(code)))"
        }
    }
}
