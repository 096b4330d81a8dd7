import Foundation
import MeshModel
import Platform
import Routes
import Store

@testable import RestAPI

extension TestGateway {
    /// Tells something as a rule does.
    @discardableResult
    func tell(
        _ title: String, needs: Set<FeedRow.Need> = [.info], at time: Int64 = WallClock.milliseconds(),
        _ change: (inout FeedRow) -> Void = { _ in }
    ) throws -> FeedRow {
        var row = FeedRow(at: time, in: id, type: "battery", title: title, body: "\(title), in full", needs: needs)
        change(&row)
        let told = row
        return try store.commit { try $0.insert(told)! }
    }

    /// What a token sees of the feed.
    func feed(_ query: String = "", as token: APIToken? = nil) throws -> [NSDictionary] {
        let answer = try ask("GET", "/api/v1/notifications\(query)", as: token ?? self.token)
        guard answer.status == 200 else { throw Refused(answer: answer) }
        return (try answer.json["notifications"] as? [NSDictionary]) ?? []
    }

    struct Refused: Error { let answer: Answer }
}

extension [NSDictionary] {
    var titles: [String] { compactMap { $0["title"] as? String } }
}
