import CMeshtastic
import MeshModel
import Nettle

/// A link with which channels are shared, as text or as QR code: `https://meshtastic.org/e/#` and a ChannelSet in
/// base64. It gives the channels' keys to everybody who has it.
public struct ChannelLink: Sendable {
    /// In the link's order, numbered from 0; the first is the primary one.
    public var entries: [RadioChannel]
    /// What of them is known here.
    public var channels: [Channel] { entries.map(\.channel) }
    /// The LoRa settings that go with them.
    public var lora: SettingsSection?
    /// The link asks for its channels to be added to those that are there (`?add=true`); otherwise it is made to replace
    /// them, and the LoRa settings.
    public var adds: Bool

    public init(entries: [RadioChannel], lora: SettingsSection? = nil, adds: Bool = false) {
        self.entries = entries
        self.lora = lora
        self.adds = adds
    }

    /// Longer than eight channels with everything that can be set.
    private static let longest = 4096

    /// Reads a link, whichever of its forms; also without what stands before `#`.
    public init(parsing text: String) throws(ChannelLinkError) {
        guard text.utf8.count <= Self.longest else { throw .notALink }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isAddress(parts[0]) else { throw .notALink }
        // Some apps write the query behind the channels.
        let fragment = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        adds = ([parts[0]] + fragment.dropFirst()).contains { $0.lowercased().hasSuffix("add=true") }
        guard let bytes = Base64.decodedLeniently(String(fragment[0])), !bytes.isEmpty else { throw .damaged }
        entries = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { throw .damaged }
            try add(field)
        }
        guard !entries.isEmpty else { throw .noChannels }
        guard entries.count <= 8 else { throw .tooMany(entries.count) }
        entries[0] = entries[0].placed(at: 0, as: .primary)
    }

    private static func isAddress(_ text: Substring) -> Bool {
        let address = text.split(separator: "?", omittingEmptySubsequences: false)[0].lowercased()
        return address.isEmpty
            || ["https://", "http://", "meshtastic://"].contains { scheme in
                let host = address.hasPrefix(scheme) ? address.dropFirst(scheme.count) : ""
                return ["meshtastic.org/e", "www.meshtastic.org/e", "meshtastic/e"].contains {
                    host == $0 || host == $0 + "/"
                }
            }
    }

    private mutating func add(_ field: WireField) throws(ChannelLinkError) {
        switch field.number {
        case 1:
            guard field.isLengthDelimited else { throw .damaged }
            let entry = RadioChannel(index: entries.count, role: .secondary, settings: Array(field.content))
            guard let entry, [0, 1, 16, 32].contains(entry.channel.psk.count), entry.channel.name.utf8.count <= 11
            else { throw .damaged }
            entries.append(entry)
        case 2:
            guard field.isLengthDelimited, let section = SettingsSection(.lora, Array(field.content)) else {
                throw .damaged
            }
            lora = section
        default: break
        }
    }

    public var text: String {
        var bytes: [UInt8] = []
        for entry in entries { WireBytes.append(1, entry.settings, to: &bytes) }
        if let lora { WireBytes.append(2, lora.bytes, to: &bytes) }
        return "https://meshtastic.org/e/\(adds ? "?add=true" : "")#" + Base64.linkEncoded(bytes)
    }
}

/// Why a text is no link with channels.
public enum ChannelLinkError: Error, Equatable {
    case notALink
    /// What stands behind `#` is not whole.
    case damaged
    case noChannels
    case tooMany(Int)
}
