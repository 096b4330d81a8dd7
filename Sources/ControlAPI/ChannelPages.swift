import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway channels`: where one can talk, how private that is, and what was said lately. Keys are not shown.

extension ControlAPI {
    static let channelPages: [LocalPage] = [
        LocalPage("/local/channels", "channels/1") { question, json in
            let source = try question.source()
            let (reader, id) = (question.reader, source.id)
            let channels = try reader.channels(in: id)
            let entries = try reader.channelEntries()
            let lately = try reader.messageCountsByChannel(in: id, since: WallClock.milliseconds() - 86_400_000)
            let indices = channels.map(\.index) + entries.map { ChannelEntry.channel(of: $0.id) }
            // The users of this machine are one reader, with one set of marks.
            let unread = try reader.unread(by: 0, channels: indices, direct: false, in: id).channels
            let lora = question.radio(of: source)?.lora ?? source.source.lora
            json.source(source)
            json.key("channels")
            json.array { json in
                for channel in channels {
                    json.object { json in
                        json.channel(channel, lora)
                        json.traffic(on: channel.index, lately, unread)
                    }
                }
            }
            json.key("gatewayChannels")
            json.array { json in
                for entry in entries {
                    json.object { json in
                        json.entry(entry)
                        json.traffic(on: ChannelEntry.channel(of: entry.id), lately, unread)
                    }
                }
            }
        }
    ]
}

/// How a channel's key protects it (firmware `Channels::getKey`).
private func encryption(_ psk: [UInt8], isSecondary: Bool) -> String {
    switch psk.count {
    case 0: isSecondary ? "primary" : "none"
    // One byte stands for the key that everybody knows, or for one of its 254 neighbours.
    case 1: psk[0] == 0 ? "none" : psk[0] == 1 ? "default" : "simple"
    case ...16: "aes128"
    default: "aes256"
    }
}

extension JSONWriter {
    fileprivate mutating func channel(_ channel: Channel, _ lora: LoRaSettings?) {
        let role = channel.shownRole
        let isNameless = channel.name.trimmed.isEmpty
        member("index", channel.index)
        switch role {
        case .primary where isNameless: member("name", lora?.defaultChannelName ?? "Primary")
        case .secondary where isNameless: member("name", "Channel \(channel.index)")
        default: member("name", channel.name)
        }
        member("role", role.shownName.lowercased())
        member("encryption", role == .disabled ? nil : encryption(channel.psk, isSecondary: role == .secondary))
        member("authenticated", role == .disabled ? nil : channel.usesAEAD)
        member("uplink", channel.uplinkEnabled)
        member("downlink", channel.downlinkEnabled)
        member("positionPrecisionBits", channel.positionPrecision)
        member("positionError", channel.positionPrecision.flatMap { positionError(precisionBits: $0) })
        member("isMuted", channel.isMuted)
    }

    fileprivate mutating func entry(_ entry: ChannelEntry) {
        member("index", ChannelEntry.channel(of: entry.id))
        member("name", entry.name)
        member("encryption", encryption(entry.psk, isSecondary: false))
        member("isEnabled", entry.isEnabled)
        member("decryptedPackets", entry.decryptedPackets)
        time("lastDecrypted", milliseconds: entry.lastDecryptedAt)
    }

    fileprivate mutating func traffic(on channel: Int, _ lately: [Int: Int], _ unread: [Int: Int]) {
        member("messagesLastDay", lately[channel] ?? 0)
        member("unread", unread[channel] ?? 0)
    }
}
