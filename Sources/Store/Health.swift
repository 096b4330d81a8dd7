import Glibc

/// How the store is doing.
public struct Health: Hashable, Sendable {
    /// Host milliseconds since when nothing can be written; nil when all is well.
    public internal(set) var failingSince: Int64?
    /// The last failure of the disk or the database, and when, in host milliseconds.
    public internal(set) var lastError: String?
    public internal(set) var lastErrorAt: Int64?
    /// What kind of failure that was.
    public internal(set) var cause: Cause?
    /// Changes that were refused by themselves, such as a name that is taken.
    public internal(set) var failedChanges = 0
    /// Grouped changes that found the queue full.
    public internal(set) var droppedChanges = 0
    /// Changes that are not committed yet.
    public internal(set) var queueLength = 0
    public internal(set) var commits = 0
    /// Of these, the ones that waited for the disk.
    public internal(set) var syncedCommits = 0
    /// Pages that commits have written to the log, of 1,024 bytes each.
    public internal(set) var pagesWritten = 0
    public internal(set) var checkpoints = 0
    /// Rows that ``Retention`` has given up since the start.
    public internal(set) var prunedRows = 0
    /// Bytes on disk, the log included.
    public internal(set) var size: Int64 = 0
}

extension Health {
    /// What keeps changes from being stored, as far as it decides what to type.
    public enum Cause: Hashable, Sendable {
        case full, readOnly
        /// The file was deleted or replaced.
        case displaced
        /// Anything else, such as an error of the medium.
        case broken

        public init(_ error: any Error) {
            switch error as? StoreError {
            case .displaced: self = .displaced
            case .readOnly: self = .readOnly
            // SQLITE_FULL is what a write got; other calls have only the kernel's word (ENOSPC, EROFS).
            case .failed(let code, let message, _):
                let reasons = [(ENOSPC, Self.full), (EDQUOT, .full), (EROFS, .readOnly)]
                let reason = reasons.first { message.hasSuffix(String(cString: strerror($0.0))) }?.1
                self = code & 0xFF == 13 ? .full : code & 0xFF == 8 ? .readOnly : reason ?? .broken
            default: self = .broken
            }
        }
    }
}
