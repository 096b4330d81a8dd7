@testable import StrictJSON

/// A place where an answer of ours is not MeshMonitor's.
struct Difference: Sendable {
    let played: PlayedMesh
    /// Method, path with query.
    let request: String
    /// What the answer is about: `nodes`, `packets`; the path itself outside of those.
    let subject: String
    /// `status`, `type`, `tag`, or where in the body: `data[].snr`. A list is `data[]`, a row that one answer has and the
    /// other side shows elsewhere `data[] placed`, the order of rows `data[] order`, that of keys `data[] keys`.
    let place: String
    /// Of our answer.
    let status: Int
    /// By what the innermost row is known.
    let row: String
    /// Nil: there is none.
    let theirs: StrictJSON?
    let ours: StrictJSON?
    /// The innermost rows that `place` is in.
    let theirRow: StrictJSON?
    let ourRow: StrictJSON?

    /// The field of a row, whether it is shown in a list or alone.
    var field: String {
        for prefix in ["data[].", "data.", "[]."] where place.hasPrefix(prefix) {
            return String(place.dropFirst(prefix.count))
        }
        return place
    }

    var line: String {
        [
            played.name, subject, place, theirs?.text ?? "-", ours?.text ?? "-", row, request,
        ].joined(separator: "\t")
    }
}

/// What the rules need to know of a recording's mesh.
struct PlayedMesh: Sendable {
    let name: String
    /// The own node's number.
    var own = 0
    /// Packets in which the radio repeated what it had heard before.
    var replays: Set<Int> = []
    /// The nodes that these packets came from.
    var replayed: Set<Int> = []
    /// Texts that a store-and-forward server repeated.
    var repeatedTexts: Set<String> = []
    func isRepeatedText(_ packet: Int?) -> Bool { packet.map { repeatedTexts.contains("\($0)") } ?? false }
    /// Messages in MeshMonitor's list and in ours.
    var messages = (theirs: 0, ours: 0)
}

extension StrictJSON {
    /// As JSON.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let literal): literal
        case .string(let text): "\"\(text.replacing("\n", with: "\\n"))\""
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }
}
