import CommandLine
import JSON
import Search
import Terminal

/// `mesh-gateway conversations`: where something was said last.
struct ConversationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "Shows channels and direct chats, the one with the newest message first.",
        discussion: """
            UNREAD counts the newest 100 messages that --mark-read has not marked. Tokens have marks of their own.
            """)

    @Option(help: ArgumentHelp("At most so many.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("Mark it as read: its id, as in the first column.", valueName: "conversation"))
    var markRead: String?

    @OptionGroup var viewing: Viewing

    func run() throws {
        guard (1...1000).contains(limit) else {
            throw failure("--limit takes 1 to 1000; try: mesh-gateway conversations --limit 100", .usage)
        }
        let backend = try Backend.reading(viewing)
        let query = [("source", viewing.source), ("limit", "\(limit)")]
        var page = try backend.get("/local/conversations", query)
        if let markRead {
            guard case .daemon = backend else {
                throw failure("marks are made by the running daemon, and none runs.", .unavailable)
            }
            let source = page.json["source"]?["id"]?.string ?? "default"
            _ = try backend.post(
                "/api/v1/sources/\(source)/conversations/\(PercentEncoding.segment(markRead))/read", body: "{}")
            page = try backend.get("/local/conversations", query)
        }
        try viewing.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let conversations = page["conversations"]?.array ?? []
        guard !conversations.isEmpty else { return "Nobody has written anything yet.\n" }
        var table = Table([
            .init("ID"), .init("NAME", widest: 24), .init("UNREAD", .right, expendability: 2),
            .init("LAST", .right, expendability: 1), .init("MESSAGE", widest: 60, expendability: 3),
        ])
        for conversation in conversations {
            let last = conversation["lastMessage"]
            let name =
                conversation["node"]?["longName"]?.string ?? conversation["channelName"]?.string
                ?? "Channel \(conversation["channel"]?.integer ?? 0)"
            let text = (last?["text"]?.string ?? "").replacing("\n", with: " ")
            table.add([
                conversation["id"]?.string ?? "", name, conversation["unread"]?.decimal(0) ?? "",
                viewing.ago(last?["time"]), (last?["isOwn"]?.bool == true ? "me: " : "") + text,
            ])
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }
}
