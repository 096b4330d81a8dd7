import MeshModel
import MeshProtocol
import Store

// Firmware 2.8 hands over each node's last position, telemetry and status again after every handshake, as ordinary packets
// (SerialReference 2.4). Neither their ids nor their times tell whether they are known: both follow the node's
// last_heard, and change with whatever else it sends. What they say does.

extension Ingest {
    /// When a replayed value was heard, in host milliseconds; nil: it is no reading, as the node's newest one of its kind
    /// says the same or is later, or it holds no value.
    func timeOfReading(
        _ packet: MeshPacket, _ content: PacketContent?, _ writer: Writer, in source: SourceID
    ) throws -> Int64? {
        let newest: NewestReport?
        var time = packet.rxTime.flatMap { past($0) }
        switch content {
        case .position(let position):
            guard position.hasFix else { return nil }
            // A place without a time comes without one for the packet as well.
            time = time ?? position.reportTime(before: now)
            newest = try writer.newestReport(of: packet.from, as: position, in: source)
        case .telemetry(let telemetry):
            guard !telemetry.values.isEmpty || telemetry.text != nil else { return nil }
            newest = try writer.newestReport(of: packet.from, as: telemetry, in: source)
        case .nodeStatus(let text):
            newest = try writer.newestReport(of: packet.from, as: text, in: source)
        default: return now
        }
        // It was heard when the node was last heard, or before.
        let lastHeard = try writer.node(packet.from, in: source, \.lastHeard)
        time = time ?? lastHeard.flatMap { UInt32(exactly: $0) }.flatMap { past($0) }
        guard let newest else { return time ?? now }
        if newest.isSame { return nil }
        guard let time else { return now }
        return time > newest.at ? time : nil
    }

    /// Host milliseconds of a moment by the radio's clock that can be true.
    private func past(_ seconds: UInt32) -> Int64? {
        let time = Int64(seconds)
        return time >= PlausibleTime.earliest ? min(time * 1000, now) : nil
    }
}
