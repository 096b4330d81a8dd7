import CMeshtastic
import MeshModel

/// One of the radio's channels as it lies on the wire.
///
/// Everything is in it, fields that nobody knows yet too: `use_aead`, left out by a program that is older than it, would
/// switch the channel's authentication off. The key is in it as well, so that no description shows it.
public struct RadioChannel: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// What of it is known here.
    public let channel: Channel
    let bytes: [UInt8]

    /// Nil when the bytes are no channel.
    init?(_ bytes: [UInt8]) {
        let channel = bytes.withUnsafeBytes {
            unpacked($0, meshtastic__channel__unpack, meshtastic__channel__free_unpacked) { Channel($0) }
        }
        guard let channel, WireField.all(in: bytes[...]) != nil else { return nil }
        (self.channel, self.bytes) = (channel, bytes)
    }

    /// With nothing in it but what is known.
    public init(_ channel: Channel) { (self.channel, bytes) = (channel, packed(channel.wire)) }

    /// - Parameter settings: ChannelSettings, as links have them.
    init?(index: Int, role: Channel.Role, settings: [UInt8]) {
        var bytes: [UInt8] = []
        if index != 0 { WireBytes.append(1, varint: UInt64(index), to: &bytes) }
        WireBytes.append(2, settings, to: &bytes)
        if role != .disabled { WireBytes.append(3, varint: UInt64(role.rawValue), to: &bytes) }
        self.init(bytes)
    }

    public var description: String { "channel \(channel.index)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    static var fields: MessageFields { MessageFields(meshtastic__channel__descriptor) }

    /// ChannelSettings.
    var settings: [UInt8] {
        (WireField.all(in: bytes[...]) ?? []).filter { $0.number == 2 }.flatMap { Array($0.content) }
    }

    /// In another slot, or for another use.
    public func placed(at index: Int, as role: Channel.Role) -> RadioChannel {
        RadioChannel(index: index, role: role, settings: settings) ?? self
    }

    /// As a program shows it that does not know `use_aead`.
    var withoutAuthentication: RadioChannel {
        guard channel.usesAEAD else { return self }
        let kept = (WireField.all(in: settings[...]) ?? []).filter { $0.number != 8 }
        return RadioChannel(index: channel.index, role: channel.role, settings: kept.flatMap { Array($0.whole) })
            ?? self
    }

    /// Whether the fields that are not known here are others than in that one.
    public func saysMore(than other: RadioChannel) -> Bool {
        Self.unknown(in: bytes[...], Self.fields) != Self.unknown(in: other.bytes[...], Self.fields)
    }

    private static func unknown(in bytes: ArraySlice<UInt8>, _ message: MessageFields) -> [[UInt8]] {
        (WireField.all(in: bytes) ?? []).flatMap { field -> [[UInt8]] in
            guard let known = message.list.first(where: { $0.number == field.number }) else {
                return [Array(field.whole)]
            }
            return known.message.map { unknown(in: field.content, $0) } ?? []
        }
    }
}
