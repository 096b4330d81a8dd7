import JSON
import MeshModel
import Routes
import Store

extension JSONWriter {
    /// One row of `messages`: 33 keys in MeshMonitor's order (Contract 3.5) and `sender`, all always there.
    ///
    /// - Parameters:
    ///   - source: The UUID of the source that the row belongs to.
    ///   - caller: Who is to see it.
    ///   - attempts: The packets under which it went out again; nil: do not show `delivery`, what is known about an own
    ///     message beyond the four public states.
    ///   - hold: What it waits for, besides the radio.
    mutating func message(
        _ message: Message, source: String, for caller: Caller, attempts: [Attempt]? = nil,
        hold: OutboxItem.Hold? = nil,
        suffix: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            json.addresses(of: message)
            json.times(of: message)
            json.reception(of: message)
            json.deliveryState(of: message)
            json.origin(of: message, source: source)
            json.member("sender", caller.shown(message.sender))
            json.member("isAlert", message.isAlert)
            if let attempts, let delivery = message.delivery { json.delivery(delivery, of: message, attempts, hold) }
            suffix(&json)
        }
    }

    private mutating func addresses(of message: Message) {
        member("id", message.id)
        member("fromNodeNum", message.from.rawValue)
        member("toNodeNum", message.to.rawValue)
        member("fromNodeId", message.from.id)
        // Upstream writes its own broadcasts differently from those it hears, and clients know both (Contract 7.11).
        member("toNodeId", message.isOwn && message.to.isBroadcast ? "broadcast" : message.to.id)
        member("text", message.text)
        member("channel", message.channel)
        member("portnum", message.port.rawValue)
        member("requestId", message.isOwn ? message.packetID : nil)
    }

    private mutating func times(of message: Message) {
        member("timestamp", message.timestamp)
        member("rxTime", message.rxTime)
    }

    /// A received row shows 0 where the packet had no such field, an own row null (Contract 7.24).
    private mutating func reception(of message: Message) {
        let absent: UInt32? = message.isOwn ? nil : 0
        member("hopStart", message.hopStart ?? absent)
        member("hopLimit", message.hopLimit ?? absent)
        member("relayNode", message.relayNode ?? absent)
        member("replyId", message.replyID.flatMap { $0 == 0 ? nil : $0 })
        // A number, not a flag: Emacs compares with `equal 1`.
        member("emoji", message.isTapback ? 1 : nil as Int?)
        member("viaMqtt", message.isOwn ? nil : message.viaMQTT ?? false)
        member("viaStoreForward", message.viaStoreForward ? true : nil)
        member("xeddsaSigned", message.xeddsaSigned == true ? true : nil)
        float("rxSnr", message.rxSNR ?? (message.isOwn ? nil : 0))
        member("rxRssi", message.rxRSSI)
    }

    private mutating func deliveryState(of message: Message) {
        let state = message.delivery?.state
        // The only key by which Emacs turns a message on its screen into a failed one, and only as a number.
        member("ackFailed", state == .failed ? 1 : nil as Int?)
        null("routingErrorReceived")
        member("deliveryState", message.delivery?.publicName)
        member("wantAck", message.isOwn ? message.delivery?.wantsAck ?? true : nil)
        member("ackFromNode", state == .confirmed ? message.delivery?.ackFrom?.rawValue : nil)
        member("routingErrorCode", state == .failed ? message.delivery?.error?.rawValue : nil)
    }

    private mutating func origin(of message: Message, source: String) {
        member("createdAt", message.createdAt)
        member("decryptedBy", message.isOwn ? nil : message.decryptedWith == nil ? "node" : "server")
        member("sourceId", source)
        null("sourceIp")
        member("sourcePath", message.isOwn ? "system" : "tcp_radio")
        member("spoofSuspected", message.spoofSuspected ? true : nil)
    }

    private mutating func delivery(
        _ delivery: Delivery, of message: Message, _ attempts: [Attempt], _ hold: OutboxItem.Hold?
    ) {
        key("delivery")
        object { json in
            json.member("state", delivery.detailName)
            let reason = delivery.state == .queued ? hold?.explanation : nil
            json.member("reason", reason ?? delivery.explanation(of: message))
            json.member("errorCode", delivery.error?.rawValue)
            json.member("ackFrom", delivery.ackFrom?.id)
            json.member("ackFromNum", delivery.ackFrom?.rawValue)
            json.member("ackedAt", delivery.ackedAt)
            json.member("ackProof", delivery.ackProof?.publicName)
            json.member("attempts", attempts.count + 1)
            json.key("packetIds")
            json.array { json in
                json.value(message.packetID)
                for attempt in attempts { json.value(attempt.packetID) }
            }
            json.member("part", message.part?.number)
            json.member("parts", message.part?.count)
            json.member("firstPart", message.part?.first)
            json.member("pkiEncrypted", message.pkiEncrypted)
            json.member("updatedAt", message.updatedAt)
        }
    }
}
