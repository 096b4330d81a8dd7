import JSON
import MeshModel
import Routes
import Store

extension JSONWriter {
    /// One row of `telemetry`: MeshMonitor's keys in its order (Contract 3.7).
    mutating func telemetry(_ point: TelemetryPoint, source: String) {
        object { json in
            json.member("id", point.id)
            json.member("nodeId", point.node.id)
            json.member("nodeNum", point.node.rawValue)
            json.member("telemetryType", point.name)
            json.member("timestamp", point.at)
            json.key("value")
            json.measurement(point.value)
            json.member("unit", Telemetry.unit(of: point.name))
            json.member("createdAt", point.at)
            json.member("packetTimestamp", point.claimedTime)
            json.member("packetId", point.packetID)
            json.member("channel", point.channel)
            json.member("precisionBits", point.precisionBits)
            json.member("gpsAccuracy", point.gpsAccuracy.map { Double($0) / 1000 })
            json.float("rxSnr", point.rxSNR)
            json.member("hopStart", point.hopStart)
            json.member("hopLimit", point.hopLimit)
            json.member("sourceId", source)
        }
    }
}

extension TelemetryPoint {
    /// Milliseconds by the sender's clock; nil when it said none, or only how long it has been running. A time more
    /// than an hour ahead is replaced by that of the reception (Contract 3.7).
    fileprivate var claimedTime: Int64? {
        // 2020-01-01: a radio without a clock says less.
        guard let time, time >= 1_577_836_800 else { return nil }
        let claimed = Int64(time) * 1000
        return claimed > at + 3_600_000 ? at : claimed
    }
}
