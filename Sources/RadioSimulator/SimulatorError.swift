import Glibc

public enum SimulatorError: Error, Hashable, CustomStringConvertible {
    /// The simulated radio is unplugged, or stopped.
    case unplugged
    /// The path for the pty's link is taken by something that is no symbolic link.
    case linkIsTaken(String)
    /// No link to the pty can be made at this path: why, as an errno.
    case cannotLink(String, Int32)
    /// This port cannot be listened on: why, as an errno.
    case cannotListen(UInt16, Int32)
    /// A system call and its errno.
    case system(String, Int32)

    public var description: String {
        switch self {
        case .unplugged: "the simulated radio is unplugged"
        case .linkIsTaken(let path):
            "\(path) exists and is not a symbolic link; remove it, or choose another path for the link"
        case .cannotLink(let path, ENOENT):
            "no link can be made at \(path): its folder does not exist; make the folder, or choose another path"
        case .cannotLink(let path, let code):
            "no link can be made at \(path): \(String(cString: strerror(code))); choose a path in a folder that you may "
                + "write to"
        case .cannotListen(let port, EADDRINUSE):
            "port \(port) is already in use; stop the program that listens there (ss -ltnp shows it), or choose another "
                + "port, such as 0 for a free one"
        case .cannotListen(let port, let code):
            "port \(port) cannot be listened on: \(String(cString: strerror(code))); choose a port above 1023"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
