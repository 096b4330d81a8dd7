import MeshModel
import Store

// Which source a radio belongs to (README, "Sources"). The stable identity of a radio is its device id, then its USB
// serial number; node numbers change under it. A radio that has neither is known by its node number.

extension Source {
    /// What the radio says of itself, in order of trust: the first is what a new source keeps.
    static func identities(deviceID: [UInt8], usbSerial: String?, number: NodeNumber) -> [String] {
        var found: [String] = []
        if deviceID.contains(where: { $0 != 0 }) { found.append("device:" + hexadecimal(deviceID)) }
        if let usbSerial, !usbSerial.isEmpty { found.append("usb:" + usbSerial) }
        found.append("node:" + number.id)
        return found
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Finds or makes the source of a radio that has just identified itself on a link, on the store's writer thread.
///
/// The source that knows one of the identities is enabled and takes over the most trusted one; a source that no radio
/// has used yet is adopted; else there is a new one. The link's previous source keeps its history, disabled.
func adoptSource(
    identities: [String], current: SourceID, newUUID: String, at now: Int64, _ writer: Writer,
    update: (inout Source) -> Void
) throws -> SourceID {
    let sources = try writer.sources()
    let known = identities.lazy.compactMap { identity in sources.first { $0.1.deviceID == identity } }.first
    let unused = sources.first { $0.0 == current && $0.1.deviceID == nil }
    let adopted: SourceID
    if let found = known ?? unused {
        adopted = found.0
    } else {
        let name = sources.first { $0.0 == current }?.1.name ?? "Default"
        adopted = try writer.insert(Source(uuid: newUUID, name: name, isEnabled: true, createdAt: now))
    }
    if adopted != current { try writer.update(current) { $0.isEnabled = false } }
    try writer.update(adopted) { source in
        source.isEnabled = true
        source.deviceID = identities[0]
        update(&source)
    }
    return adopted
}

/// A random UUID (version 4) in lower case.
func randomUUID() -> String {
    var random = SystemRandomNumberGenerator()
    var bytes = withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
        text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
}
