import Glibc

public enum SimulatorError: Error, Hashable, CustomStringConvertible {
    /// The simulated radio is unplugged, or stopped.
    case unplugged
    /// The path for the pty's link is taken by something that is no symbolic link.
    case linkIsTaken(String)
    /// A system call and its errno.
    case system(String, Int32)

    public var description: String {
        switch self {
        case .unplugged: "the simulated radio is unplugged"
        case .linkIsTaken(let path): "\(path) exists and is not a symbolic link"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
