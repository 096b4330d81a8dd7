import Log
import Testing

@Test(arguments: Logger.Level.allCases)
func aLevelThatIsOffMakesNoText(threshold: Logger.Level) {
    let logged = LoggedEntries()
    let logger = logged.logger(LogThreshold(threshold))
    var (texts, fields): ([Logger.Level], [Logger.Level]) = ([], [])
    func text(_ level: Logger.Level) -> String {
        texts.append(level)
        return "at \(level)"
    }
    func made(_ level: Logger.Level) -> [String: String] {
        fields.append(level)
        return ["level": "\(level)"]
    }

    logger.trace(text(.trace), fields: made(.trace))
    logger.debug(text(.debug), fields: made(.debug))
    logger.info(text(.info), fields: made(.info))
    logger.notice(text(.notice), fields: made(.notice))
    logger.warning(text(.warning), fields: made(.warning))
    logger.error(text(.error), fields: made(.error))
    logger.log(.critical, text(.critical), fields: made(.critical))

    let on = Array(Logger.Level.allCases.drop { $0 != threshold })
    #expect(!on.isEmpty)
    #expect(texts == on)
    #expect(fields == on)
    #expect(logged.all.map(\.level) == on)
    #expect(logged.texts == on.map { "at \($0)" })
    #expect(logged.all.map { $0.fields["level"] } == on.map { "\($0)" })
}

@Test func aSilentLoggerMakesNoText() {
    var made = 0
    func text() -> String {
        made += 1
        return "error"
    }
    Logger.silent.error(text())
    #expect(made == 0)
}
