import Gateway
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Routes

// What `mesh-gateway channel url` and `channel add` ask. A link holds the channels' keys: it is given to the machine's own
// users only, and never logged.

extension ControlAPI {
    static let channelLinkEndpoints: [Endpoint] = [
        .local(.get, "/local/channel-link", ControlAPI.channelLink),
        .local(.post, "/local/channel-link", ControlAPI.takeChannelLink),
    ]

    /// `GET /local/channel-link?all=1`: the primary channel's alone without.
    private func channelLink(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let (gateway, isAll) = (gateway, call.request.queryValue("all") == "1")
        return askingRadio(of: source, isAll ? "link of all channels" : "link of the primary channel") {
            () throws(RadioRefusal) in
            try gateway.channelLink(all: isAll, of: source.id)
        } page: { (link: ChannelLink) throws(APIError) in
            let lora = gateway.status(of: source.id).lora
            return answer("channel-url/1", call, source) { json in
                json.member("url", link.text)
                json.key("channels")
                json.array { json in
                    for channel in link.channels {
                        json.object { $0.linked(channel, lora: lora, index: channel.index) }
                    }
                }
            }
        }
    }

    /// `POST /local/channel-link {url, replace, preview}`.
    private func takeChannelLink(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let link = try parsedLink(call.body?["url"]?.string ?? "")
        let plan: ChannelPlan
        do {
            plan = try gateway.importChannels(
                of: link, replaces: call.body?["replace"]?.bool ?? false,
                isPreview: call.body?["preview"]?.bool ?? false,
                of: source.id)
        } catch {
            throw APIError(error)
        }
        let lora = gateway.status(of: source.id).lora
        return answer("channel-add/1", call, source) { json in
            json.member("replaces", plan.replaces)
            json.member("isMadeToReplace", !link.adds)
            json.member("isDone", plan.isApplied)
            json.member("changesNothing", plan.changesNothing)
            json.key("slots")
            json.array { json in
                for slot in plan.slots where slot.old != nil || slot.new != nil {
                    json.object { $0.slot(slot, lora: lora) }
                }
            }
            json.key("known")
            json.array { json in
                for channel in plan.known { json.object { $0.linked(channel, lora: lora, index: channel.index) } }
            }
            json.changes(plan.lora)
            json.consequences(restarts: plan.consequences.restarts, plan.consequences.warnings)
        }
    }

    func parsedLink(_ text: String) throws(APIError) -> ChannelLink {
        do throws(ChannelLinkError) {
            return try ChannelLink(parsing: text.trimmed)
        } catch {
            switch error {
            case .notALink:
                throw .badRequest(
                    "this is no link with channels; they begin with https://meshtastic.org/e/# (put it in quotes)")
            case .damaged, .noChannels:
                throw .badRequest("the link is not whole: copy it again, and put it in quotes")
            case .tooMany(let count):
                throw .badRequest("the link holds \(count) channels and a radio has eight; ask for one with fewer")
            }
        }
    }
}
