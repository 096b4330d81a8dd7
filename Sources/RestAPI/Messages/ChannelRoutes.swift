import HTTPServer
import MeshModel
import Routes
import Store

extension RestAPI {
    static let channelEndpoints: [Endpoint] = [
        .perSource(.get, "channels", .messages, .read, RestAPI.channels),
        .perSource(.get, "channels/{channelId}", .messages, .read, RestAPI.channel),
    ]

    /// `P/channels`: all slots that the radio has told and the token may read, also those not in use.
    func channels(_ call: Call) throws(APIError) -> Response {
        let (source, caller) = (call.source, call.caller)
        let channels = try read("channels") { try $0.channels(in: source.id) }
            .filter { caller.mayRead($0) }
        return .list(channels, to: call.request) { json, channel in
            json.channel(channel, lora: source.source.lora, for: caller)
        }
    }

    /// `P/channels/{n}`.
    func channel(_ call: Call) throws(APIError) -> Response {
        guard let index = parseIntOfEitherBase(call.parameters[0]).map({ Int($0) }), (0...7).contains(index) else {
            throw .badRequest("Channel ID must be a number between 0 and 7")
        }
        let (source, caller) = (call.source, call.caller)
        guard caller.may(.read, .channel(index)) else {
            throw .insufficient(resource: Resource.channel(index).name, action: .read)
        }
        let channel = try read("channel") { reader in
            guard let channel = try reader.channel(index, in: source.id) else {
                throw APIError.notFound("Channel \(index) not found")
            }
            return channel
        }
        return .item(to: call.request) { $0.channel(channel, lora: source.source.lora, for: caller) }
    }
}

extension Caller {
    /// Whether a row of `channels` is shown.
    func mayRead(_ channel: Channel) -> Bool { may(.read, .channel(channel.index)) }
}
