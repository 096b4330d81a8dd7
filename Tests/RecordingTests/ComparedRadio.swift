import CMeshtastic
import MeshModel
import Store

extension PlayedRecording {
    /// What the radio said about itself is with its source and in its own node's row.
    func compareRadio() throws -> Findings {
        var findings = Findings(name)
        let (sources, own) = try store.read { reader in
            (try reader.sources().map(\.1), try reader.node(oracle.ownNumber, in: source))
        }
        // The source of the first start was adopted by the radio, however often that was plugged in.
        findings.compare("sources", "count", expected: 1, found: sources.count)
        let found = sources[0]
        findings.compare("source", "nodeNumber", expected: oracle.ownNumber, found: found.nodeNumber)
        findings.compare("source", "firmwareVersion", expected: oracle.firmwareVersion, found: found.firmwareVersion)
        findings.compare("source", "lora", expected: LoRaSettings(oracle: oracle.lora), found: found.lora)
        let identity = oracle.deviceID.map { "device:" + $0.map(twoDigits).joined() }
        if let identity { findings.compare("source", "deviceID", expected: identity, found: found.deviceID) }
        findings.compare("own node", "firmwareVersion", expected: oracle.firmwareVersion, found: own?.firmwareVersion)
        findings.compare("own node", "rebootCount", expected: oracle.rebootCount, found: own?.rebootCount ?? 0)
        return findings
    }

    private func twoDigits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

extension LoRaSettings {
    fileprivate init(oracle fields: Fields) {
        self.init(
            usePreset: fields.bool("use_preset"),
            modemPreset: .init(
                rawValue: fields.number(
                    "modem_preset", in: meshtastic__config__lo_ra_config__modem_preset__descriptor)),
            region: fields.number("region", in: meshtastic__config__lo_ra_config__region_code__descriptor),
            hopLimit: fields.unsigned("hop_limit"), txEnabled: fields.bool("tx_enabled"))
    }
}
