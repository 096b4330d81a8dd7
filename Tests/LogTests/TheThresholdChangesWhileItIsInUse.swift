import Glibc
import Log
import Testing

@Test func theThresholdChangesWhileItIsInUse() {
    let logged = LoggedEntries()
    let threshold = LogThreshold(.info)
    let first = logged.logger(threshold)
    var second = first
    second.fields["device"] = "/dev/ttyACM0"

    first.debug("too quiet")
    threshold.level = .debug
    first.debug("heard")
    second.debug("heard of the copy")
    threshold.level = .error
    second.warning("too quiet again")
    first.error("still heard")

    #expect(logged.texts == ["heard", "heard of the copy", "still heard"])
}

@Test func theThresholdChangesUnderThreadsThatLog() {
    let logged = LoggedEntries()
    let threshold = LogThreshold(.notice)
    let logger = logged.logger(threshold)
    var threads: [pthread_t] = []
    for _ in 0..<3 {
        let argument = Unmanaged.passRetained(LoggerBox(logger)).toOpaque()
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                let logger = Unmanaged<LoggerBox>.fromOpaque(argument!).takeRetainedValue().logger
                for _ in 0..<500 {
                    logger.trace("never")
                    logger.info("now and then")
                    logger.notice("always")
                }
                return nil
            }, argument)
        guard failure == 0 else {
            Issue.record("no thread: \(failure)")
            continue
        }
        threads.append(thread)
    }
    for turn in 0..<500 { threshold.level = turn.isMultiple(of: 2) ? .info : .notice }
    for thread in threads { pthread_join(thread, nil) }

    #expect(!logged.texts.contains("never"))
    #expect(logged.texts.count { $0 == "always" } == threads.count * 500)
}

private final class LoggerBox {
    let logger: Logger

    init(_ logger: Logger) { self.logger = logger }
}
