import HTTPServer
import MeshModel
import Store

extension RestAPI {
    /// `P/channels`: all slots that the radio has told, also those not in use.
    func channels(of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let (source, channels) = try read("channels") { reader in
            let found = try self.source(name, reader)
            return (found.source, try reader.channels(in: found.id))
        }
        return .list(channels, to: request) { json, channel in json.channel(channel, lora: source.lora) }
    }

    /// `P/channels/{n}`.
    func channel(_ text: String, of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let (source, channel) = try read("channel") { reader in
            let found = try self.source(name, reader)
            guard let index = parseInt(text), (0...7).contains(index) else {
                throw APIError.badRequest("Channel ID must be a number between 0 and 7")
            }
            guard let channel = try reader.channel(Int(index), in: found.id) else {
                throw APIError.notFound("Channel \(index) not found")
            }
            return (found.source, channel)
        }
        return .item(to: request) { json in json.channel(channel, lora: source.lora) }
    }
}
