import Testing

/// A conversation over a broker has a source. `sources()` gives radios alone, so that only code that asks for these
/// sources meets them. This is that code.
@Suite struct WhoAsksForSourcesThatAreNoRadios {
    private static let words = [
        "SourceRow.ofMessages", "SourceRow.ofBrokers", "brokerConversations()", "brokerConversation(",
    ]
    /// What keeps all rows in order, and what shows conversations over brokers. What connects them is a room of its
    /// own.
    private static let askers = [
        "Sources/ControlAPI/BrokerConversationPages.swift", "Sources/ControlAPI/ConversationKeyRoutes.swift",
        "Sources/ControlAPI/ConversationPages.swift",
        "Sources/ControlAPI/LocalPage.swift", "Sources/RestAPI/Own/Brokers/BrokerConversationRoutes.swift",
        "Sources/RestAPI/Own/Brokers/PostedBridge.swift",
        "Sources/RestAPI/Own/Conversations/OverBrokers.swift", "Sources/RestAPI/Own/Events/EventSources.swift",
        "Sources/Routes/ConversationChanges.swift", "Sources/Routes/NotificationAccess.swift",
        "Sources/Routes/TextsForBrokers.swift",
        "Sources/Rules/StoreFacts.swift", "Sources/Rules/TriedEvent.swift",
        "Sources/Store/BrokerConversationRows.swift",
        "Sources/Store/ReceiptOrder.swift", "Sources/Store/ResumeQueries.swift", "Sources/Store/Writer.swift",
    ]

    @Test func nobodyElseDoes() throws {
        let found = askers(try SourceTree.ofThisRepository()).filter { !$0.hasPrefix("Sources/MQTTBridge/") }
        #expect(found == Self.askers.sorted())
    }

    @Test func anotherOneIsFound() {
        let tree = SourceTree(
            paths: ["Sources/Rules/A.swift", "Sources/Rules/B.swift"],
            texts: [
                "Sources/Rules/A.swift": "let all = try reader.sources()\n// brokerConversations()",
                "Sources/Rules/B.swift": "let all = try reader.brokerConversations()",
            ])
        #expect(askers(tree) == ["Sources/Rules/B.swift"])
    }

    /// Files whose code has one of the words.
    private func askers(_ tree: SourceTree) -> [String] {
        tree.paths.filter { path in
            path.hasPrefix("Sources/") && path.hasSuffix(".swift")
                && (tree.texts[path] ?? "").codeLines.contains { line in
                    Self.words.contains { line.text.contains($0) }
                }
        }.sorted()
    }
}
