import Glibc
import Log
import Testing

@Test func levelsHaveTheNamesOfTheSetting() {
    #expect(
        Logger.Level.allCases.map { "\($0)" } == ["trace", "debug", "info", "notice", "warning", "error", "critical"])
    #expect(Logger.Level.allCases.sorted() == Logger.Level.allCases)
}

@Test func levelsHaveThePrioritiesOfSyslog() {
    #expect(
        Logger.Level.allCases.map { Int32($0.priority) } == [
            LOG_DEBUG, LOG_DEBUG, LOG_INFO, LOG_NOTICE, LOG_WARNING, LOG_ERR, LOG_CRIT,
        ])
}
