import MeshModel
import Store

extension PlayedRecording {
    /// All eight channel slots, each with everything that the radio said.
    func compareChannels() throws -> Findings {
        var findings = Findings(name)
        let found = try store.read { try $0.channels(in: source) }
        findings.compare("channels", "indices", expected: oracle.channels.map(\.index), found: found.map(\.index))
        for (expected, found) in zip(oracle.channels, found) {
            let item = "channel \(expected.index)"
            findings.compare(item, "role", expected: expected.role, found: found.role)
            findings.compare(item, "name", expected: expected.name, found: found.name)
            findings.compare(item, "psk", expected: expected.psk, found: found.psk)
            findings.compare(item, "id", expected: expected.id, found: found.id)
            findings.compare(item, "uplink", expected: expected.uplinkEnabled, found: found.uplinkEnabled)
            findings.compare(item, "downlink", expected: expected.downlinkEnabled, found: found.downlinkEnabled)
            findings.compare(
                item, "positionPrecision", expected: expected.positionPrecision, found: found.positionPrecision)
            findings.compare(item, "isMuted", expected: expected.isMuted, found: found.isMuted)
        }
        return findings
    }
}
