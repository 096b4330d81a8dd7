// What the writer's thread does before the database can be opened for writing: the disk was full, read-only or broken at
// the start. What there is can be read meanwhile (ReaderPool), changes wait, and callers that wait for one are told at once.

import Platform

/// A database that was opened for reading only, and is to be opened for writing as soon as the disk allows it.
struct AwaitedDisk: Sendable {
    let queue: Monitor<WriteQueue>
    /// Opens the database for writing, as at a start; nil: somebody still reads.
    let open: @Sendable () throws(StoreError) -> OpenDatabase?

    private enum Task {
        case answer([@Sendable () -> Void])
        case open([Job])
        case close
    }

    /// - Returns: nil: the store was closed first.
    func wait() -> OpenDatabase? {
        var delay = WriterThread.firstRetryDelay
        var isReading = false
        while true {
            switch nextTask(until: MonotonicClock.nanoseconds() + delay, isReading: isReading) {
            case .answer(let probes): for probe in probes { probe() }
            case .open(let jobs):
                do throws(StoreError) {
                    guard let database = try open() else {
                        // A reader needs some milliseconds.
                        queue.notify { $0.giveBack(jobs) }
                        (delay, isReading) = (20_000_000, true)
                        continue
                    }
                    queue.notify { $0.giveBack(jobs) }
                    queue.setFailing(false)
                    return database
                } catch {
                    queue.giveBack(jobs, because: error)
                    isReading = false
                    delay = min(max(delay * 2, WriterThread.firstRetryDelay), WriterThread.lastRetryDelay)
                }
            case .close:
                let left = queue.notify { queue in
                    queue.isClosed = true
                    return queue.takeAll()
                }
                for job in left { job.done?(.failure(StoreError.closed)) }
                return nil
            }
        }
    }

    private func nextTask(until deadline: UInt64, isReading: Bool) -> Task {
        queue.wait(until: deadline) { queue, isLate in
            if let probes = queue.takeProbes() { return .answer(probes) }
            if queue.isClosing { return .close }
            // Who waits for an answer is worth a try.
            return isLate || queue.isUrgent && !isReading ? .open(queue.takeAll()) : nil
        }!
    }
}
