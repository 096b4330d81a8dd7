import Glibc

/// Why an archive could not be written or read.
public enum ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// errno.
    case system(Int32)
    /// What is wrong with its bytes.
    case damaged(String)
    /// Eight gigabytes: more than a header can say.
    case tooLarge(String)

    public var description: String {
        switch self {
        case .system(let number): String(cString: strerror(number))
        case .damaged(let reason): reason
        case .tooLarge(let name): "\(name) is larger than eight gigabytes"
        }
    }
}
