import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Where a client begins: what its token may do, and which radios it sees. It needs no scope, so that a client can say what
// is missing before it asks for anything.

extension RestAPI {
    static let tokenEndpoints: [Endpoint] = [.v1(.get, "me", nil, RestAPI.me)]

    /// `/api/v1/me`. Sources are those of `/api/v1/sources`; how a radio does is for tokens that may read that.
    func me(_ call: Call) throws(APIError) -> Response {
        let caller = call.caller
        let sources = try knownSources.all(of: store).filter { caller.maySeeSources && $0.source.isEnabled }
        let nodes = try read("radios") { reader in try sources.map { try ownNode(of: $0, reader) } }
        return .item(to: call.request) { json in
            json.object { json in
                json.key("token")
                json.object { json in
                    json.member("name", caller.tokenName)
                    json.strings("scopes", caller.scopes.list)
                    let allowed = Permission.all.filter { caller.scopes.allows($0) }
                    json.strings("permissions", allowed.map(\.description))
                    json.member("gap", caller.scopes.gap)
                }
                json.key("sources")
                json.array { json in
                    for (found, node) in zip(sources, nodes) {
                        json.object { json in
                            json.member("id", found.source.uuid)
                            json.member("name", found.source.name)
                            let radio = gateway.status(of: found.id)
                            json.signal(SignalScale(radio.lora ?? found.source.lora))
                            guard caller.may(.read, .info) else { return }
                            json.member("nodeId", node?.number.id)
                            json.member("longName", node?.shownLongName)
                            json.member("shortName", node?.shownShortName)
                            json.member("connected", radio.isConnected)
                            json.link(radio)
                            json.setup(radio)
                        }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func strings(_ name: StaticString, _ texts: [String]) {
        key(name)
        array { json in
            for text in texts { json.value(text) }
        }
    }

    fileprivate mutating func signal(_ scale: SignalScale) {
        key("signal")
        object { json in
            json.member("limit", scale.limit)
            json.member("fair", scale.fair)
            json.member("good", scale.good)
        }
    }
}
