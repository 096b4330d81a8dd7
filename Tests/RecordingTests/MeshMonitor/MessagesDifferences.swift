@testable import StrictJSON

extension DifferenceRule {
    private static let lists = ["messages", "/api/sources/source/messages"]

    static let ofMessages: [DifferenceRule] = [
        .init("Traceroutes as messages", lists, ["data[]", "[]"]) { $0.isOnlyTheirs && $0.int("portnum") == 70 },
        .init("Alarms", lists, ["data[]", "[]"]) { $0.isOnlyOurs && [10, 11].contains($0.int("portnum") ?? 0) },
        .init("Control characters", lists, ["text"]) {
            $0.isCleaned
        },
        // Nobody here sends.
        .init("Who had it sent", lists + ["search"], ["sender"]) { $0.goes(nil, .null) },
        .init("Bells", lists + ["search"], ["isAlert"]) { $0.isOnlyOurs },
        .init("Bells", lists + ["search"], ["text"]) { $0.isWithoutBells },
        .init("Search", ["search"], ["data[] placed"]) { $0.isOnlyOurs },
        .init("Filters", lists, ["data[] placed"]) { $0.request.contains("?") },
        .init("Newest first", lists, ["data[] order by our times"]) { $0.request.contains("since=") },
        .init("Pages by a message", ["messages"], ["status"]) {
            $0.goes(.number("200"), .number("400")) && $0.request.hasSuffix("before=1")
        },
        .init("Ids of messages", ["messages"], ["status"]) { $0.goes(.number("404"), .number("200")) },
    ]
}
