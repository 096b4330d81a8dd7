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
}
