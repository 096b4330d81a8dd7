import Gateway
import HTTPServer
import MeshModel
import MeshProtocol
import QRCodes
import Routes
import Store

// What Meshtastic's apps scan, ours: QR codes as pictures. A path names the thing that is drawn; no text is taken, so that
// nobody can have one drawn that leads elsewhere.

extension RestAPI {
    static let codeEndpoints: [Endpoint] = [
        .perSource(.get, "nodes/{nodeId}/contact.svg", .nodes, .read, RestAPI.contactCode),
        .perSource(.get, "channels.svg", .configuration, .write, RestAPI.channelsCode),
    ]

    /// `P/nodes/{id}/contact.svg`: the link of `P/nodes/{id}/key`, with which others add the node as a contact.
    func contactCode(_ call: Call) throws(APIError) -> Response {
        let node = try read("the node") { try visibleNode(call, $0) }
        guard let contact = SharedContact.toShare(node) else {
            throw .notFound("No key of \(node.number.id) is known, and a contact is its key")
        }
        return try Self.picture(of: ContactLink.text(of: contact), call)
    }

    /// `P/channels.svg[?channel=N]`: the link of `P/self`, which holds the channels' keys, for those who see it there; or one
    /// that adds this channel alone.
    func channelsCode(_ call: Call) throws(APIError) -> Response {
        guard call.caller.may(.read, .info) else {
            throw .insufficient(resource: Resource.info.name, action: .read)
        }
        let slot = try call.request.queryValue("channel").map { (text) throws(APIError) in
            guard let slot = Int(text), (0...7).contains(slot) else {
                throw .badRequest("channel is a number from 0 to 7")
            }
            return slot
        }
        return channelLink(call) { outcome in
            do throws(APIError) {
                switch outcome {
                case .read(let link): return try Self.picture(of: Self.part(of: link, slot).text, call)
                case .refused: throw .notConnected
                case .busy: throw .busy("Too many questions wait for the radio", retryAfter: 5)
                }
            } catch {
                return error.response
            }
        }
    }

    /// Adding a channel changes neither the other channels nor the LoRa settings of the radio that scans the code.
    private static func part(of link: ChannelLink, _ slot: Int?) throws(APIError) -> ChannelLink {
        guard let slot else { return link }
        let entries = link.entries.filter { $0.channel.index == slot }
        guard !entries.isEmpty else { throw .notFound("The radio has no channel \(slot)") }
        return ChannelLink(entries: entries, adds: true)
    }

    /// The link of all channels, as the radio says it now.
    ///
    /// - Parameters:
    ///   - time: after which `late` is the answer.
    ///   - page: what is answered.
    func channelLink(
        _ call: Call, within time: Duration = RadioReadings.patience,
        late: @escaping @Sendable () -> Response = { APIError.radioTooSlow.response },
        page: @escaping @Sendable (RadioReadings.Outcome<ChannelLink>) -> Response
    ) -> Response {
        let (gateway, source) = (gateway, call.source.id)
        return radioReadings.answer(
            "link of all channels", of: source, for: call.caller.token, within: time, late: late,
            { () throws(RadioRefusal) in try gateway.channelLink(all: true, of: source) }, page: page)
    }

    private static func picture(of link: String, _ call: Call) throws(APIError) -> Response {
        guard let code = QRCode(link) else { throw .conflict("The link is too long for a QR code") }
        let svg = Array(code.svg.utf8)
        let headers = [
            (name: "Content-Type", value: "image/svg+xml"), Header.noSniff,
            // A picture opened by itself is a document, too.
            (name: "Content-Security-Policy", value: "default-src 'none'"),
            (name: "ETag", value: EntityTag(of: svg).text),
        ]
        return Response(headers: headers, body: .bytes(svg)).unlessKnown(to: call.request)
    }
}
