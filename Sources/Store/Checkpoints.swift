import Platform

/// Moves the log into the database file (SQLite's checkpoints, in passive mode) while the writer goes on: two thousand pages take
/// many times as long as a commit, for which somebody waits.
///
/// Each has a thread and a connection of its own, which end with it: a mesh with a packet a second needs one in ten minutes.
final class Checkpoints: Sendable {
    private let file: DatabaseFile
    private let queue: Monitor<WriteQueue>
    private let isMoving = Monitor(false)

    /// - Parameter queue: whose health tells how often it went well, and what went wrong.
    init(of file: DatabaseFile, _ queue: Monitor<WriteQueue>) {
        self.file = file
        self.queue = queue
    }

    /// Begins one, unless another one has not come to its end.
    func begin() {
        let isFirst = isMoving.withLock { isMoving in
            defer { isMoving = true }
            return !isMoving
        }
        // Where there is no thread to be had, somebody waits.
        if isFirst, !Thread.detach({ self.moveLog() }) { moveLog() }
    }

    /// Returns when none is under way.
    func wait() { _ = isMoving.wait(until: nil) { isMoving, _ in isMoving ? nil : true } }

    private func moveLog() {
        do {
            let connection = try file.open()
            defer { connection.close() }
            // What lies there now may be another database with a log of its own.
            guard file.isInPlace else { throw StoreError.displaced(path: file.path) }
            try connection.checkpoint()
            queue.withLock { $0.health.checkpoints += 1 }
        } catch {
            // What is committed stays in the log. It is tried again when the log has grown on.
            queue.withLock { $0.note(error) }
        }
        isMoving.notify { $0 = false }
    }
}
