import Gateway
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Routes
import Store

// Changing the attached radio: its settings and channels in one edit each time. What became of it is in the answer; nothing is
// repeated. Other orders, such as a factory reset, are not taken here.

extension RestAPI {
    static let radioChangeEndpoints: [Endpoint] = [
        .perSource(.patch, "radio/settings", .configuration, .write, RestAPI.changeRadioSettings),
        .perSource(.put, "channels/{channelId}", .configuration, .write, RestAPI.changeChannel),
        .perSource(.delete, "channels/{channelId}", .configuration, .write, RestAPI.removeChannel),
        .perSource(.post, "channels/import", .configuration, .write, RestAPI.importChannels),
        .perSource(.put, "radio/position", .configuration, .write, RestAPI.fixPosition),
        .perSource(.delete, "radio/position", .configuration, .write, RestAPI.freePosition),
        .perSource(.post, "radio/restart", .configuration, .write, RestAPI.restartRadio),
    ]

    /// Bytes of a body that changes settings.
    private static let longestBody = 16_384

    /// `PATCH P/radio/settings {changes, channels, link, preview}`.
    func changeRadioSettings(_ call: Call) throws(APIError) -> Response {
        guard call.request.body.count <= Self.longestBody else { throw .bodyTooLarge(limit: Self.longestBody) }
        return try change(try SettingsEdit(posted: call.body, lora: lora(call)), call)
    }

    /// `PUT P/channels/{n}`: any of the members that `GET` shows.
    func changeChannel(_ call: Call) throws(APIError) -> Response {
        var edit = SettingsEdit()
        edit.slots = [try SettingsEdit.Slot(try call.channelSlot, posted: call.body, lora: lora(call))]
        return try change(edit, call)
    }

    /// `DELETE P/channels/{n}`: the slot is switched off and stays empty, because messages and rights go by slot.
    func removeChannel(_ call: Call) throws(APIError) -> Response {
        let index = try call.channelSlot
        guard index > 0 else { throw .conflict("A radio without a primary channel hears nobody: change it instead") }
        var edit = SettingsEdit()
        edit.slots = [SettingsEdit.Slot(index: index)]
        edit.slots[0].isRemoved = true
        return try change(edit, call)
    }

    /// `POST P/channels/import {url, replace, preview}`.
    func importChannels(_ call: Call) throws(APIError) -> Response {
        try change(try SettingsEdit(link: call.body), call)
    }

    /// `PUT P/radio/position {latitude, longitude, altitude?}`: in degrees and metres.
    func fixPosition(_ call: Call) throws(APIError) -> Response {
        let body = call.body
        guard case .number(let latitude)? = body?["latitude"], case .number(let longitude)? = body?["longitude"],
            body?["altitude"] == nil || body?["altitude"]?.integer != nil,
            let place = FixedPlace(
                latitude: latitude, longitude: longitude,
                altitude: body?["altitude"]?.integer.flatMap { Int(exactly: $0) })
        else {
            throw .badRequest("latitude and longitude are degrees, altitude is whole metres; 0, 0 is no place")
        }
        return fix(place, call)
    }

    /// `DELETE P/radio/position`: it goes by its GPS again, if it has one.
    func freePosition(_ call: Call) throws(APIError) -> Response { fix(nil, call) }

    private func fix(_ place: FixedPlace?, _ call: Call) -> Response {
        let (gateway, source) = (gateway, call.source.id)
        return order(call) { () throws(RadioRefusal) in
            try gateway.fixPosition(place, of: source)
        } answer: {
            .item(to: call.request) { json in
                json.object { json in
                    json.member("latitude", place?.latitude)
                    json.member("longitude", place?.longitude)
                    json.member("altitude", place?.altitude)
                }
            }
        }
    }

    /// `POST P/radio/restart {seconds}`: as `POST /api/device/reboot`.
    func restartRadio(_ call: Call) throws(APIError) -> Response {
        let seconds = call.body?["seconds"]?.integer ?? (call.body?["seconds"] == nil ? 5 : -1)
        guard (0...86_400).contains(seconds) else { throw .badRequest("seconds is a number from 0 to 86400") }
        do throws(RadioRefusal) {
            try gateway.orderReboot(in: Int32(seconds), of: call.source.id)
        } catch {
            throw .notConnected
        }
        return .item(to: call.request) { json in json.object { $0.member("seconds", seconds) } }
    }

    private func lora(_ call: Call) -> LoRaSettings? { gateway.status(of: call.source.id).lora }

    private func change(_ edit: SettingsEdit, _ call: Call) throws(APIError) -> Response {
        let isPreview = try call.body?.flag("preview") ?? false
        let (gateway, source) = (gateway, call.source.id)
        return order(call) { () throws(RadioRefusal) in
            try gateway.change(edit, isPreview: isPreview, of: source)
        } answer: {
            self.answer($0, isPreview: isPreview, call)
        }
    }

    /// Answers when the radio has obeyed, or has not answered for long. The right is asked for again when the radio's turn comes: it
    /// may have ended while others were before it.
    private func order<Value: Sendable>(
        _ call: Call, _ act: @escaping @Sendable () throws(RadioRefusal) -> Value,
        answer: @escaping @Sendable (Value) -> Response
    ) -> Response {
        let caller = call.caller
        return radioReadings.answer(
            nil, of: call.source.id, for: caller.token, late: { APIError.changeTooSlow.response },
            { () throws(RadioRefusal) -> Value? in self.stillMayChange(caller) ? try act() : nil },
            page: { outcome in
                switch outcome {
                case .read(let value?): answer(value)
                case .read(nil): APIError.tokenInvalid.response
                case .refused(let refusal): APIError(changing: refusal).response
                case .busy: APIError.busy("Too many questions wait for the radio", retryAfter: 5).response
                }
            })
    }

    private func stillMayChange(_ caller: Caller) -> Bool {
        guard let token = caller.token else { return true }
        return (try? tokens.caller(id: token, now: tokenTime))??.may(.write, .configuration) ?? false
    }

    private func answer(_ change: SettingsChange, isPreview: Bool, _ call: Call) -> Response {
        let failure = APIError(of: change)
        let concerned = (try? store.read { try $0.tokens() }).map { rights(to: change.channels, $0, call.caller) } ?? []
        var json = JSONWriter()
        json.object { json in
            json.member("success", failure == nil)
            if let failure {
                json.member("error", failure.reason)
                json.member("message", failure.message)
            }
            json.key("data")
            json.object { json in
                json.member("isDone", failure == nil && !isPreview && change.isTaken)
                json.key("changes")
                json.array { json in
                    for row in change.rows {
                        json.object { json in
                            json.members(of: row)
                            json.member("error", row.refusal?.sentence)
                        }
                    }
                }
                json.key("channels")
                json.array { json in
                    for slot in change.channels?.slots ?? [] where slot.old != nil || slot.new != nil {
                        json.object { $0.slot(slot, lora: lora(call)) }
                    }
                }
                json.member("restarts", change.consequences.restarts)
                json.key("warnings")
                json.array { json in for warning in change.consequences.warnings + concerned { json.value(warning) } }
            }
        }
        return .json(.bytes(json.bytes), status: failure?.status ?? 200)
    }

    /// Rights go by slot: who has one to a slot has it to whatever channel is there then. Whose they are is for those who may
    /// everything.
    private func rights(to plan: ChannelPlan?, _ tokens: [Token], _ caller: Caller) -> [String] {
        (plan?.slots ?? []).filter { $0.isChange && $0.old != nil }.compactMap { slot in
            let names = tokens.filter { token in
                token.revokedAt == nil && token.expiresAt ?? .max > tokenTime
                    && [.read, .viewOnMap, .write].contains { action in
                        Scopes(of: token).allows(Permission(.channel(slot.index), action))
                    }
            }.map(\.name)
            guard !names.isEmpty else { return nil }
            let who = names.count == 1 ? "1 token has" : "\(names.count) tokens have"
            let named = caller.scopes == .admin ? " (\(names.joined(separator: ", ")))" : ""
            return "\(who)\(named) a right to slot \(slot.index), whatever channel it has then."
        }
    }
}

extension Call {
    fileprivate var channelSlot: Int {
        get throws(APIError) {
            guard let index = Int(parameters[0]), (0...7).contains(index) else {
                throw .badRequest("Channel ID must be a number between 0 and 7")
            }
            return index
        }
    }
}

extension SettingsChange.Refusal {
    fileprivate var sentence: String {
        switch self {
        case .setting(let refusal): refusal.sentence
        case .changedMeanwhile: "the radio has another value than the one that was seen"
        }
    }
}

extension APIError {
    /// Why a change was not made as it was wanted; nil: it was, or would be.
    fileprivate init?(of change: SettingsChange) {
        let refused = change.rows.compactMap(\.refusal)
        let isWrong = refused.contains { if case .setting = $0 { true } else { false } }
        if isWrong {
            self = .badRequest(refused.map(\.sentence).joined(separator: "; "))
        } else if let first = refused.first {
            self = .conflict(first.sentence)
        } else if let refusal = change.refusal {
            self = APIError(changing: refusal)
        } else {
            return nil
        }
    }

    /// Why a radio was not changed.
    fileprivate init(changing refusal: RadioRefusal) {
        switch refusal {
        case .notConnected: self = .notConnected
        case .silent: self = .changeTooSlow
        case .refused(let error):
            self = .conflict("The radio refused it (\(error.explanation)); radio/settings shows what it has")
        case .noSuchSection(let name):
            self = .badRequest("The radio has no settings \"\(name)\": its firmware was built without them")
        case .setting(let refusal): self = .badRequest(refusal.sentence)
        case .noFreeSlot(let wanted, let free):
            self = .conflict("\(wanted) channels are to be added and \(free) of the radio's eight are free")
        case .editIsOpen(let owner): self = .conflict(RadioRefusal.sentence(ofEditBy: owner))
        case .hostClockUnset, .storage: self = .failed("The radio could not be changed")
        }
    }
}
