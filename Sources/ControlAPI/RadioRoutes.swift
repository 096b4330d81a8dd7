import Gateway
import Glibc
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Platform
import Routes
import Store

// What `mesh-gateway radio` asks: the attached radio's own settings, read from it now or some seconds ago (RadioReadings), and
// orders to it. Orders wait for the radio on one of the local socket's threads.

extension ControlAPI {
    static let radioEndpoints: [Endpoint] = [
        .local(.get, "/local/radio", ControlAPI.radioInfo),
        .local(.get, "/local/radio/config", ControlAPI.radioSettings),
        .local(.post, "/local/radio/config", ControlAPI.changeSettings),
        .local(.post, "/local/radio/reboot", ControlAPI.reboot),
        .local(.post, "/local/radio/time", ControlAPI.setRadioTime),
        .local(.post, "/local/radio/favorite", { api in api.mark(.favorite) }),
        .local(.post, "/local/radio/ignore", { api in api.mark(.ignored) }),
        .local(.post, "/local/radio/remove", ControlAPI.removeFromRadio),
    ]

    /// `GET /local/radio`: who and what the radio is.
    private func radioInfo(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let (gateway, id) = (gateway, source.id)
        return askingRadio(of: source, "info") { () throws(RadioRefusal) in
            let (metadata, time) = try gateway.metadata(of: id)
            let readAt = WallClock.milliseconds()
            let sections = [try gateway.settings(.device, of: id), try gateway.settings(.lora, of: id)]
            return ReadInfo(metadata: metadata, radioTime: time, readAt: readAt, sections: sections)
        } page: { (info: ReadInfo) throws(APIError) in
            try radioInfo(info, call, source)
        }
    }

    /// What a radio says of itself.
    private struct ReadInfo: Sendable {
        let metadata: DeviceMetadata
        /// Seconds since 1970, when the host's clock was at ``readAt`` (milliseconds).
        let radioTime: UInt32?
        let readAt: Int64
        let sections: [SettingsSection]
    }

    private func radioInfo(_ info: ReadInfo, _ call: Call, _ source: FoundSource) throws(APIError) -> Response {
        let radio = gateway.status(of: source.id)
        let own = radio.myInfo?.number ?? source.source.nodeNumber
        let (node, channels) = try read("the radio") { reader in
            (try own.flatMap { try reader.node($0, in: source.id) }, try reader.channels(in: source.id))
        }
        return answer("radio-info/1", call, source) { json in
            if let own { json.who(own, node) }
            json.member("publicKey", node?.publicKey.map { Base64.encoded($0.bytes) })
            let model = info.metadata.hardwareModel
            json.member("hardware", EnumNames.hardwareModel(model) ?? "\(model)")
            // Boards without one of their own tell none.
            json.member("deviceId", radio.myInfo.flatMap { $0.deviceID.isEmpty ? nil : hexadecimal($0.deviceID) })
            json.member("firmwareVersion", info.metadata.firmwareVersion)
            json.member("hasWifi", info.metadata.hasWiFi)
            json.member("hasBluetooth", info.metadata.hasBluetooth)
            json.member("rebootCount", radio.myInfo?.rebootCount)
            json.time("radioTime", seconds: info.radioTime.map(Int64.init))
            json.member("clockOffsetSeconds", info.radioTime.map { Int64($0) - info.readAt / 1000 })
            json.member("uptimeSeconds", node?.uptimeSeconds)
            json.member("batteryLevel", node?.batteryLevel)
            json.float("voltage", node?.voltage)
            json.float("channelUtilization", node?.channelUtilization)
            json.float("airUtilTx", node?.airUtilTx)
            for section in info.sections { json.infoMembers(section) }
            json.key("channels")
            json.array { json in
                for channel in channels where channel.role != .disabled {
                    json.object { $0.linked(channel, lora: radio.lora, index: channel.index) }
                }
            }
        }
    }

    /// `GET /local/radio/config?path=…`, a section or a field, which may be repeated; all of them without.
    private func radioSettings(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let paths = call.request.query.filter { $0.key == "path" }.map { $0.value.lowercased() }
        var names: [SettingsName] = []
        for path in paths {
            guard let name = SettingsName(String(path.prefix { $0 != "." })) else {
                throw APIError(.setting(.unknown(path)))
            }
            if !names.contains(name) { names.append(name) }
        }
        let gateway = gateway
        let wanted = names.isEmpty ? nil : names
        return askingRadio(of: source, SettingsReading.name(of: wanted)) { () throws(RadioRefusal) in
            try gateway.settings(wanted, of: source.id)
        } page: { (read: SettingsReading) throws(APIError) in
            // A section that somebody has named is to be there.
            if wanted != nil, let missing = read.missing.first { throw APIError(.noSuchSection(missing)) }
            return try radioSettings(read, paths, call, source)
        }
    }

    /// - Parameter paths: what is shown of them; none: all.
    private func radioSettings(
        _ read: SettingsReading, _ paths: [String], _ call: Call, _ source: FoundSource
    ) throws(APIError) -> Response {
        let (sections, missing, isAll) = (read.sections, read.missing, paths.isEmpty)
        let settings = sections.flatMap(\.settings)
        func isMeant(_ setting: Setting, by path: String) -> Bool {
            setting.path == path || setting.path.hasPrefix("\(path).") || setting.path.hasPrefix("\(path)[")
        }
        for path in paths where path.contains(".") && !settings.contains(where: { isMeant($0, by: path) }) {
            throw APIError(.setting(.unknown(path)))
        }
        return answer("radio-config/1", call, source) { json in
            json.key("settings")
            json.array { json in
                for setting in settings where isAll || paths.contains(where: { isMeant(setting, by: $0) }) {
                    json.object { $0.setting(setting) }
                }
            }
            json.key("missing")
            json.array { json in for name in missing { json.value("\(name)") } }
        }
    }

    /// Answers with what is read of the radio of a source, among those who ask it.
    ///
    /// - Parameter what: names it, for those who want the same.
    func askingRadio<Value: Sendable>(
        of source: FoundSource, _ what: String, read: @escaping @Sendable () throws(RadioRefusal) -> Value,
        page: @escaping @Sendable (Value) throws(APIError) -> Response
    ) -> Response {
        radioReadings.answer(what, of: source.id, for: nil, read) { outcome in
            do throws(APIError) {
                switch outcome {
                case .read(let value): return try page(value)
                case .refused(let refusal): throw APIError(refusal)
                case .busy: throw .busy("Too many questions wait for the radio", retryAfter: 5)
                }
            } catch {
                return error.response
            }
        }
    }

    /// `POST /local/radio/config {changes: [{path, value}], preview}`: the values as a person writes them.
    private func changeSettings(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        var changes: [(path: String, text: String)] = []
        for change in call.body?["changes"]?.array ?? [] {
            guard let path = change["path"]?.string, let text = change["value"]?.string else {
                throw .badRequest("\"changes\" is a list of objects with the texts \"path\" and \"value\"")
            }
            changes.append((path, text))
        }
        guard !changes.isEmpty else { throw .badRequest("there is nothing to change") }
        let change: SettingsChange
        do throws(RadioRefusal) {
            change = try gateway.change(
                changes, isPreview: call.body?["preview"]?.bool ?? false, of: source.id)
        } catch {
            throw APIError(error)
        }
        return action("config-set", call, source, isDone: change.isApplied, change: change)
    }

    /// `POST /local/radio/reboot {in}`: seconds, 5 without.
    private func reboot(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let seconds = call.body?["in"]?.integer ?? 5
        // A radio that went at once would not answer any more.
        guard (1...86_400).contains(seconds) else { throw .badRequest("a restart is 1 to 86400 seconds away") }
        do { try gateway.reboot(in: Int32(seconds), of: source.id) } catch { throw APIError(error) }
        return action("reboot", call, source)
    }

    /// `POST /local/radio/time`: the host's.
    private func setRadioTime(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let time: UInt32?
        do { time = try gateway.setClock(of: source.id) } catch { throw APIError(error) }
        return action("set-time", call, source, radioTime: time)
    }

    /// `POST /local/radio/favorite {node, remove}` and `ignore`.
    private func mark(_ mark: NodeMark) -> (Call) throws(APIError) -> Response {
        { (call: Call) throws(APIError) -> Response in
            let source = try self.localSource(call)
            let node = try self.namedNode(call, in: source)
            let isSet = call.body?["remove"]?.bool != true
            let isTold: Bool?
            do throws(RadioRefusal) {
                isTold = try self.gateway.mark(mark, isSet, of: node, in: source.id)
            } catch {
                throw APIError(error)
            }
            guard let isTold else { throw .notFound("there is no node \(node.id); mesh-gateway nodes lists them") }
            let name = mark == .favorite ? "favorite" : "ignore"
            let notice = mark == .favorite && isSet ? self.gateway.favoriteNotice(in: source.id) : nil
            return self.action(
                isSet ? name : "\(name)-remove", call, source, isDone: isTold, node: node,
                warnings: notice.map { [$0] } ?? [])
        }
    }

    /// `POST /local/radio/remove {node}`.
    private func removeFromRadio(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let node = try namedNode(call, in: source)
        guard node != gateway.status(of: source.id).myInfo?.number else {
            throw .conflict("\(node.id) is the radio itself; it cannot be removed")
        }
        do { try gateway.removeFromRadio(node, of: source.id) } catch { throw APIError(error) }
        return action("remove", call, source, node: node)
    }

    private func namedNode(_ call: Call, in source: FoundSource) throws(APIError) -> NodeNumber {
        let name = call.body?["node"]?.string ?? ""
        return try read("nodes") { try $0.node(named: name, in: source, allowsStranger: true).number }
    }

    // MARK: Answers

    /// The source that the query names, as for pages.
    func localSource(_ call: Call) throws(APIError) -> FoundSource {
        try read("sources") { reader in
            let question = LocalQuestion(
                request: call.request, reader: reader, parameters: call.parameters, path: store.path, api: self)
            return try question.source()
        }
    }

    /// An object with the members that every answer to a command begins with.
    func answer(
        _ schema: String, _ call: Call, _ source: FoundSource, _ content: (inout JSONWriter) -> Void
    ) -> Response {
        let bytes = LocalPage.bytes(schema, via: call.request.via) { json in
            json.source(source)
            content(&json)
        }
        return .json(.bytes(bytes))
    }

    private func action(
        _ name: String, _ call: Call, _ source: FoundSource, isDone: Bool = true, node: NodeNumber? = nil,
        radioTime: UInt32? = nil, change: SettingsChange? = nil, warnings: [String] = []
    ) -> Response {
        answer("radio-action/1", call, source) { json in
            json.member("action", name)
            json.member("isDone", isDone)
            json.member("nodeId", node?.id)
            json.time("radioTime", seconds: radioTime.map(Int64.init))
            json.changes(change?.rows ?? [])
            json.member("refusal", change?.refusal.flatMap { APIError($0).sentence })
            json.consequences(restarts: change?.consequences.restarts, (change?.consequences.warnings ?? []) + warnings)
        }
    }
}
