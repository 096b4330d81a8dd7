import Log
import Testing

@Test func theEntrysFieldsWin() {
    let logged = LoggedEntries()
    let plain = logged.logger(LogThreshold(.trace))
    var logger = plain
    logger.fields["device"] = "/dev/ttyACM0"
    logger.fields["link"] = "live"

    logger.notice("none of its own")
    logger.warning("no-radio: plug it in", fields: ["link": "searching", "problem": "no-radio"])
    logger.error("as before")
    plain.error("the original")

    #expect(
        logged.all.map(\.fields) == [
            ["device": "/dev/ttyACM0", "link": "live"],
            ["device": "/dev/ttyACM0", "link": "searching", "problem": "no-radio"],
            ["device": "/dev/ttyACM0", "link": "live"],
            [:],
        ])
}
