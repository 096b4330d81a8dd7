@testable import StrictJSON

/// The rows of a list, each with what it is known by on both sides: their `id` is not, for it differs.
struct AnswerRows {
    let rows: [(key: String, row: StrictJSON)]
    let kind: Kind
    let byKey: [String: StrictJSON]

    struct Kind {
        /// A key that only rows of this kind have.
        let sign: String
        let keys: [String]
        /// By which they are ordered, newest first; rows of the same moment have no order.
        let time: String?
    }

    private static let kinds = [
        Kind(sign: "telemetryType", keys: ["nodeNum", "telemetryType", "packetId"], time: "timestamp"),
        Kind(sign: "packet_id", keys: ["from_node", "packet_id", "portnum"], time: "timestamp"),
        Kind(sign: "neighborNodeNum", keys: ["nodeNum", "neighborNodeNum"], time: nil),
        Kind(sign: "text", keys: ["id"], time: "createdAt"),
        Kind(sign: "routeBack", keys: ["fromNodeNum", "toNodeNum", "packetId"], time: "timestamp"),
        Kind(sign: "latitude", keys: ["packetId", "latitude", "longitude"], time: "timestamp"),
        Kind(sign: "updatedAt", keys: ["nodeNum"], time: "updatedAt"),
        Kind(sign: "nodeNum", keys: ["nodeNum"], time: nil),
        Kind(sign: "id", keys: ["id"], time: nil),
    ]

    /// Telemetry that MeshMonitor makes as time goes by, in numbers that depend on chance.
    private static let byChance: Set = ["systemNodeCount", "systemDirectNodeCount", "linkQuality", "timeOffset"]

    /// Nil: rows that are known by nothing but their place.
    init?(_ list: [StrictJSON], like other: [StrictJSON] = []) {
        let keys = Set((list.first ?? other.first)?.keys ?? [])
        guard let kind = Self.kinds.first(where: { keys.contains($0.sign) && $0.keys.allSatisfy(keys.contains) })
        else { return nil }
        self.kind = kind
        var counts: [String: Int] = [:]
        // Rows that are known by the same are counted from the oldest.
        rows =
            list.filter { !Self.byChance.contains($0["telemetryType"]?.string ?? "") }.reversed().map { row in
                var keys = kind.keys
                if row["telemetryType"]?.string == "snr_remote" { keys.append("value") }
                let key = keys.map { $0 + " " + (row[$0].map(Self.spelled) ?? "-") }.joined(separator: ", ")
                counts[key, default: 0] += 1
                return (counts[key] == 1 ? key : "\(key) #\(counts[key]!)", row)
            }
            .reversed()
        byKey = Dictionary(uniqueKeysWithValues: rows)
    }

    private static func spelled(_ value: StrictJSON) -> String {
        guard case .number(let literal) = value, literal.contains("."), let number = Double(literal) else {
            return value.text
        }
        return "\(Float(number))"
    }
}
