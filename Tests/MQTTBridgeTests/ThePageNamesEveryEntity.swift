import Foundation
import Testing

@testable import MQTTBridge

/// The table of deploy/HOME-ASSISTANT.md is what the code shows.
@Suite struct ThePageNamesEveryEntity {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/HOME-ASSISTANT.md")

    static var table: String {
        let rows = Group.allCases.flatMap { group in
            Entity.all.values.filter { $0.group == group }.sorted { $0.key < $1.key }.map { entity in
                let cells = [
                    entity.name, "`\(entity.key)`", entity.platform.rawValue, entity.deviceClass ?? "",
                    entity.unit ?? "",
                    entity.stateClass ?? "",
                ]
                return "| " + ([group.rawValue] + cells).joined(separator: " | ") + " |"
            }
        }
        return
            (["| group | entity | key | platform | class | unit | state class |", "|---|---|---|---|---|---|---|"]
            + rows)
            .joined(separator: "\n")
    }

    @Test func asItIs() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = text.components(separatedBy: "<!-- entities -->\n")
        try #require(parts.count == 2)
        let shown = parts[1].components(separatedBy: "\n<!-- end -->")[0]
        #expect(shown == Self.table, "deploy/HOME-ASSISTANT.md should have:\n\(Self.table)")
    }

    /// Events with all that they can be, texts and buttons.
    @Test func whatItHearsAndMayDo() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for entity in Entity.allSpoken {
            let key = entity.key.replacing("text_0", with: "text_INDEX")
            if key.hasPrefix("text_"), key.last?.isNumber == true { continue }
            let row = text.split(separator: "\n").first { line in
                line.hasPrefix("|") && line.contains("_\(key)`") && line.contains("`\(entity.platform.rawValue).")
                    || (entity.platform == .event && line.hasPrefix("| `") && line.contains("_\(key)` |"))
            }
            #expect(row != nil, "\(entity.component)")
            // A text on a channel is never direct, nor the other way round.
            let unlike = entity.key == "text_direct" ? ["channel"] : entity.key.hasPrefix("text") ? ["direct"] : []
            let types = Set(entity.eventTypes).subtracting(
                entity.key == "text_direct" ? ["channel", "reaction"] : unlike)
            for type in types { #expect(row?.contains("`\(type)`") == true, "\(type) of \(entity.component)") }
        }
    }
}
