import HTTPServer
import JSON
import MeshModel
import Routes
import Store

/// Everything that is known about one message.
private struct MessageDetails {
    var message: Message
    /// What it has besides as a text over a broker.
    var text: BrokerText?
    var attempts: [Attempt]
    var hold: OutboxItem.Hold?
    var receptions: [(source: Source, message: Message)]
    var reactions: [(message: Message, name: String?)]
}

extension RestAPI {
    /// Reactions that are shown.
    private static let reactionLimit = 500

    /// `P/messages/{id}/details`: its row, and how it came or went.
    func messageDetails(_ call: Call) throws(APIError) -> Response {
        let call = try overBroker(call, message: call.parameters[0]) ?? call
        // No radio has heard what came over a broker.
        let sources = try call.isOverBroker ? [] : knownSources.all(of: store).filter(\.source.isEnabled)
        let details = try read("message") { reader in
            let source = call.source.id
            let message = try reader.message(call.parameters[0], to: call.caller, in: source)
            let attempts = try reader.attempts(of: message, in: source)
            let packets = [message.packetID] + attempts.map(\.packetID)
            let hold =
                message.isOwn
                ? try reader.outbox(in: source).first { packets.contains($0.packetID) }?.hold : nil
            let reactions = try reader.reactions(
                to: packets, of: Conversation(of: message), in: source, limit: Self.reactionLimit
            ).map { ($0, call.caller.shownName(of: try reader.node($0.from, in: source))) }
            return MessageDetails(
                message: message, text: try reader.brokerTexts(of: [message], for: call)[message.packetID],
                attempts: attempts, hold: hold,
                receptions: try reader.receptions(of: message, by: sources, for: call.caller), reactions: reactions)
        }
        return .item(to: call.request) { $0.details(details, for: call) }
    }
}

extension Reader {
    /// The same packet as each radio has heard it. What the token may not read there is left out.
    fileprivate func receptions(
        of message: Message, by sources: [FoundSource], for caller: Caller
    ) throws -> [(source: Source, message: Message)] {
        try sources.compactMap { id, source in
            guard let heard = try self.message(packetID: message.packetID, from: message.from, in: id),
                !heard.isOwn, heard.text == message.text, caller.mayRead(channel: heard.channel)
            else { return nil }
            return (source, heard)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func details(_ details: MessageDetails, for call: Call) {
        let message = details.message
        object { json in
            json.key("message")
            json.message(message, details.text, of: call, attempts: details.attempts, hold: details.hold)
            json.member("conversation", call.source.source.brokerConversation ?? Conversation(of: message).id)
            json.attempts(message, details.attempts)
            json.receipts(message)
            json.key("hops")
            json.way(of: message)
            json.key("receptions")
            json.array { json in
                for (source, heard) in details.receptions {
                    json.object { json in
                        json.member("sourceId", source.uuid)
                        json.member("sourceName", source.name)
                        json.member("messageId", heard.id)
                        json.member("timestamp", heard.timestamp)
                        json.key("hops")
                        json.way(of: heard)
                    }
                }
            }
            json.reactions(details.reactions)
        }
    }

    /// The packets under which an own message went out.
    private mutating func attempts(_ message: Message, _ attempts: [Attempt]) {
        key("attempts")
        array { json in
            guard message.isOwn else { return }
            for (packet, time) in [(message.packetID, message.timestamp)] + attempts.map({ ($0.packetID, $0.at) }) {
                json.object { json in
                    json.member("packetId", packet)
                    json.member("timestamp", time)
                }
            }
        }
    }

    /// Who has told that an own message got to him, or was heard repeating it.
    private mutating func receipts(_ message: Message) {
        key("receipts")
        array { json in
            guard let delivery = message.delivery, delivery.ackedAt != nil || delivery.ackFrom != nil else { return }
            json.object { json in
                json.member("type", delivery.state == .confirmed ? "confirmed" : "relayed")
                json.member("nodeId", delivery.ackFrom?.id)
                json.member("timestamp", delivery.ackedAt)
                json.member("proof", delivery.ackProof?.publicName)
            }
        }
    }

    /// Of an own message: how its acknowledgement came.
    private mutating func way(of message: Message) {
        object { json in
            json.member("start", message.hopStart)
            json.member("limit", message.hopLimit)
            json.member("taken", message.hopsAway)
            json.member("relayNode", message.relayNode)
            json.member("viaMqtt", message.viaMQTT)
            json.float("rxSnr", message.rxSNR)
            json.member("rxRssi", message.rxRSSI)
        }
    }

    private mutating func reactions(_ reactions: [(message: Message, name: String?)]) {
        key("reactions")
        array { json in
            for (reaction, name) in reactions {
                json.object { json in
                    json.member("messageId", reaction.id)
                    json.member("emoji", reaction.text)
                    json.member("fromNodeId", reaction.from.id)
                    json.member("fromNodeNum", reaction.from.rawValue)
                    json.member("name", name)
                    json.member("isOwn", reaction.isOwn)
                    json.member("timestamp", reaction.timestamp)
                }
            }
        }
    }
}
