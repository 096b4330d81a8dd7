import Gateway
import Glibc
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Platform
import Routes
import Store

// What MeshMonitor tells of its sources and of itself outside v1. Clients that know these paths ask with a token; what
// tells of nobody on the mesh is open, as it is there.

extension RestAPI {
    static let sourceEndpoints: [Endpoint] = [
        .open("/api/connection", RestAPI.connection), .open("/api/server-info", RestAPI.serverInfo),
        .open("/api/version/check", RestAPI.versionCheck),
        .session(.get, "/api/automations", nil, RestAPI.automations),
        .session(.get, "/api/sources", nil, RestAPI.sourceArray),
        .session(.get, "/api/sources/{id}", nil, RestAPI.sourceItem),
        .session(.get, "/api/sources/{id}/status", Permission(.info, .read), RestAPI.sourceStatus),
        .session(.get, "/api/sources/{id}/messages", Permission(.messages, .read), RestAPI.messageArray),
        .session(.get, "/api/sources/{id}/channels", Permission(.messages, .read), RestAPI.channelArray),
    ]

    /// A source as the routes outside v1 name it: a UUID; `default` and nil are the oldest enabled one.
    func sessionSource(_ name: String?) throws(APIError) -> FoundSource {
        do throws(APIError) {
            return try source(name)
        } catch {
            guard case .notFound = error else { throw error }
            throw .coded(404, "Source not found", code: "SOURCE_NOT_FOUND")
        }
    }

    /// `/api/connection`, of the source that is asked for.
    func connection(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.request.sourceAsked(nil))
        let radio = gateway.status(of: source.id)
        return .json(to: call.request) { json in
            json.object { json in
                json.member("connected", radio.isConnected)
                json.member("nodeResponsive", radio.isResponsive)
                json.member("configuring", radio.link == .configuring)
                json.member("userDisconnected", false)
            }
        }
    }

    /// `/api/server-info`.
    func serverInfo(_ call: Call) throws(APIError) -> Response {
        let given = getenv("TZ").map { String(cString: $0) }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("timezone", given ?? Self.zoneOfTheHost() ?? "UTC")
                json.member("timezoneProvided", given != nil)
            }
        }
    }

    /// The name of the file below `zoneinfo` that `/etc/localtime` links to.
    private static func zoneOfTheHost() -> String? {
        guard let parts = linkTarget("/etc/localtime")?.split(separator: "/") else { return nil }
        guard let root = parts.lastIndex(of: "zoneinfo"), root + 1 < parts.count else { return nil }
        return parts[(root + 1)...].joined(separator: "/")
    }

    /// `/api/version/check`: this server does not look for newer versions, and says so as MeshMonitor does that could not.
    func versionCheck(_ call: Call) throws(APIError) -> Response {
        .json(to: call.request) { json in
            json.object { json in
                json.member("updateAvailable", false)
                json.member("currentVersion", version)
                json.member("error", "This server does not look for newer versions")
                json.member("deploymentMethod", "manual")
            }
        }
    }

    /// `/api/automations`: MeshMonitor's rules that act by themselves. There are none here.
    func automations(_ call: Call) throws(APIError) -> Response { .array([Int](), to: call.request) { _, _ in } }

    /// `/api/sources`: as `/api/v1/sources`, with the disabled ones and how each radio sends.
    func sourceArray(_ call: Call) throws(APIError) -> Response {
        let sources = call.caller.maySeeSources ? try knownSources.all(of: store) : []
        return .array(sources, to: call.request) { json, found in
            json.object { json in
                json.member("id", found.source.uuid)
                json.member("name", found.source.name)
                json.member("type", Self.sourceType)
                json.member("enabled", found.source.isEnabled)
                json.times(of: found.source)
                json.attachment()
                let snapshot = gateway.snapshot(of: found.id)
                json.radio(
                    found.source.isEnabled ? snapshot?.lora ?? found.source.lora : nil,
                    sendsOverUDP: (snapshot?.networkProtocols ?? 0) & 1 != 0)
            }
        }
    }

    /// `/api/sources/{id}`, for those who see it in the list.
    func sourceItem(_ call: Call) throws(APIError) -> Response {
        let found = try sessionSource(call.parameters[0])
        guard call.caller.maySeeSources,
            let place = try knownSources.all(of: store).firstIndex(where: { $0.id == found.id })
        else { throw .coded(404, "Source not found", code: "SOURCE_NOT_FOUND") }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("id", found.source.uuid)
                json.member("name", found.source.name)
                json.member("type", Self.sourceType)
                json.attachment()
                json.member("enabled", found.source.isEnabled)
                json.member("displayOrder", place)
                json.times(of: found.source)
                json.null("createdBy")
            }
        }
    }

    /// `/api/sources/{id}/status`, also of a radio that is away. A node is active when it was heard in the last seven days.
    func sourceStatus(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.parameters[0])
        let channels = call.caller.channels(for: .viewOnMap)
        let (all, active) = try read("status") { reader in
            (
                try reader.nodeCount(in: source.id, channels: channels),
                try reader.nodeCount(in: source.id, heardSince: clock() / 1000 - 7 * 86_400, channels: channels)
            )
        }
        let radio = gateway.status(of: source.id)
        let own = radio.myInfo?.number ?? source.source.nodeNumber
        return .json(to: call.request) { json in
            json.object { json in
                json.member("sourceId", source.source.uuid)
                json.member("sourceName", source.source.name)
                json.member("sourceType", Self.sourceType)
                json.member("connected", radio.isConnected)
                json.member("nodeNum", own?.rawValue)
                json.member("nodeId", own?.id)
                json.member("nodeCount", all)
                json.member("activeNodeCount", active)
            }
        }
    }

    /// `/api/sources/{id}/messages`: the rows of v1, newest first.
    func messageArray(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.parameters[0])
        let limit = call.request.limit(default: 100, cap: 500)
        let offset = min(call.request.offset, 10_000)
        let query = MessageQuery(source: source.id, channels: call.caller.readableChannels, limit: offset + limit)
        let rows = try read("messages") { try $0.messages(query) }.dropFirst(offset)
        return .array(Array(rows), to: call.request) {
            $0.message($1, source: source.source.uuid, for: call.caller)
        }
    }

    /// `/api/sources/{id}/channels`: the rows of v1.
    func channelArray(_ call: Call) throws(APIError) -> Response {
        let (source, caller) = (try sessionSource(call.parameters[0]), call.caller)
        let rows = try read("channels") { try $0.channels(in: source.id) }
            .filter { caller.may(.read, .channel($0.index)) }
        return .array(rows, to: call.request) { $0.channel($1, lora: source.source.lora, for: caller) }
    }
}

extension JSONWriter {
    /// `updatedAt` is when its settings were changed in MeshMonitor. Here they are not a client's to change.
    fileprivate mutating func times(of source: Source) {
        member("createdAt", source.createdAt)
        member("updatedAt", source.createdAt)
    }

    /// MeshMonitor's radios are on the network. Where this one is, is not for clients: they see a path of this machine, or
    /// an address behind it, nowhere.
    fileprivate mutating func attachment() {
        key("config")
        object { json in
            json.null("host")
            json.null("port")
        }
    }

    /// How a radio sends; null as long as it has not said so, and for a source without one.
    fileprivate mutating func radio(_ lora: LoRaSettings?, sendsOverUDP: Bool) {
        key("radio")
        guard let lora else { return null() }
        object { json in
            json.null("frequencyMhz")
            json.member("regionName", lora.region == 0 ? nil : EnumNames.region(lora.region))
            json.member("modemPreset", lora.modemPreset.rawValue)
            json.member("txEnabled", lora.txEnabled)
            json.member("udpRelayEnabled", sendsOverUDP)
            json.member("canTransmit", lora.txEnabled || sendsOverUDP)
        }
    }
}
