import CommandLine
import ControlAPI
import JSON
import Platform
import Search
import Terminal

/// `mesh-gateway conversations`: where something was said last.
struct ConversationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "Shows channels, direct chats and conversations over brokers, the one with the newest message first.",
        discussion: """
            UNREAD counts the newest 100 messages that --mark-read has not marked. Tokens have marks and mutes of their \
            own.
            """)

    @Option(help: ArgumentHelp("At most so many.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("Mark it as read: its id, as in the first column.", valueName: "conversation"))
    var markRead: String?

    @Option(help: ArgumentHelp("Mute it, for good or for the time of --for.", valueName: "conversation"))
    var mute: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("With --mute: for this time, \(TimeSpan.forms).", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("Hear it again.", valueName: "conversation"))
    var unmute: String?

    @OptionGroup var viewing: Viewing

    func run() throws {
        guard (1...1000).contains(limit) else {
            throw failure("--limit takes 1 to 1000; try: mesh-gateway conversations --limit 100", .usage)
        }
        let changes = try changes()
        let backend = try Backend.reading(viewing)
        let query = [("source", viewing.source), ("limit", "\(limit)")]
        var page = try backend.get("/local/conversations", query)
        if !changes.isEmpty {
            guard case .daemon = backend else {
                throw failure("marks are made by the running daemon, and none runs.", .unavailable)
            }
            let source = page.json["source"]?["id"]?.string ?? "default"
            for (conversation, change, body) in changes {
                // One over a broker belongs to no radio.
                let base = isOverBroker(conversation) ? "/api/v1" : "/api/v1/sources/\(source)"
                _ = try backend.post(
                    "\(base)/conversations/\(PercentEncoding.segment(conversation))/\(change)", body: body)
            }
            page = try backend.get("/local/conversations", query)
        }
        try viewing.show(page, text)
    }

    /// What the options ask for, as the API has it.
    private func changes() throws -> [(conversation: String, change: String, body: String)] {
        let span = try duration.map { try TimeSpan.milliseconds($0, of: "--for") }
        if let span, mute == nil || span == 0 {
            throw failure(
                "--for says for how long --mute holds; try: mesh-gateway conversations --mute channel:0 --for 8h",
                .usage)
        }
        let end = span.map { ",\"mutedUntil\":\(WallClock.milliseconds() + $0)" } ?? ""
        return [
            markRead.map { ($0, "read", "{}") }, unmute.map { ($0, "mute", #"{"muted":false}"#) },
            mute.map { ($0, "mute", "{\"muted\":true\(end)}") },
        ].compactMap(\.self)
    }

    private func text(_ page: JSONValue) -> String {
        let conversations = page["conversations"]?.array ?? []
        guard !conversations.isEmpty else { return "Nobody has written anything yet.\n" }
        let isAnyMuted = conversations.contains { $0["muted"]?.bool == true }
        var columns: [Table.Column] = [
            .init("ID"), .init("NAME", widest: 24), .init("UNREAD", .right, expendability: 2),
            .init("LAST", .right, expendability: 1), .init("MESSAGE", widest: 60, expendability: 3),
        ]
        if isAnyMuted { columns.insert(.init("MUTED", expendability: 2), at: 3) }
        var table = Table(columns)
        for conversation in conversations {
            let last = conversation["lastMessage"]
            let name =
                conversation["node"]?["longName"]?.string ?? conversation["channelName"]?.string
                ?? "Channel \(conversation["channel"]?.integer ?? 0)"
            let text = (last?["text"]?.string ?? "").replacing("\n", with: " ")
            var cells = [
                conversation["id"]?.string ?? "", name, conversation["unread"]?.decimal(0) ?? "",
                viewing.ago(last?["time"]), (last?["isOwn"]?.bool == true ? "me: " : "") + text,
            ]
            if isAnyMuted {
                let isMuted = conversation["muted"]?.bool == true
                let end = viewing.time(conversation["mutedUntil"]).map { "until \($0)" } ?? "for good"
                cells.insert(isMuted ? end : "", at: 3)
            }
            table.add(cells)
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }
}
