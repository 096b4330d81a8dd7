import Gateway
import JSON
import MeshModel
import Nettle
import Routes

extension JSONWriter {
    /// One entry of the channel database (Contract 3.13).
    ///
    /// - Parameter caller: sees the key only when he may write both the channel database and the configuration. Others
    ///   see a preview: what everybody knows anyway of a one-byte key, and of a real one nothing.
    mutating func channelEntry(_ entry: ChannelEntry, for caller: Caller) {
        let showsKey = caller.may(.write, .channelDatabase) && caller.may(.write, .configuration)
        object { json in
            json.member("id", entry.id)
            json.member("name", entry.name)
            json.member("pskLength", entry.psk.count)
            json.member("pskPreview", showsKey || entry.psk.count == 1 ? Base64.encoded(entry.psk) : "********")
            if showsKey { json.member("psk", Base64.encoded(entry.psk)) }
            json.member("description", entry.description)
            json.member("isEnabled", entry.isEnabled)
            json.member("enforceNameValidation", entry.enforcesName)
            json.member("sortOrder", entry.sortOrder)
            json.member("decryptedPacketCount", entry.decryptedPackets)
            json.member("lastDecryptedAt", entry.lastDecryptedAt)
            // A user's number: there are none here.
            json.null("createdBy")
            json.member("createdAt", entry.createdAt)
            json.member("updatedAt", entry.updatedAt)
        }
    }

    mutating func redecryption(_ progress: Redecryption.Progress?) {
        guard let progress else { return null() }
        object { json in
            json.member("channelDatabaseId", progress.entry)
            json.member("channelName", progress.name)
            json.member("total", progress.total)
            json.member("processed", progress.processed)
            json.member("decrypted", progress.decrypted)
            json.member("status", progress.status.rawValue)
            if let error = progress.error { json.member("error", error) }
            json.member("startedAt", progress.startedAt)
            if let time = progress.completedAt { json.member("completedAt", time) }
        }
    }
}
