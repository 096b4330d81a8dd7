import Gateway
import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Routes

// What `mesh-gateway radio config export` and `import` ask. The file itself is the command's business: its YAML is read there,
// and only here is it asked for secrets, which like the link with the channels are for the machine's own users.

extension ControlAPI {
    static let settingsFileEndpoints: [Endpoint] = [
        .local(.get, "/local/radio/file", ControlAPI.settingsFile),
        .local(.post, "/local/radio/file", ControlAPI.takeSettingsFile),
    ]

    /// `GET /local/radio/file?secrets=1`: the file as text; without channels, passwords and PIN otherwise.
    private func settingsFile(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let (gateway, hasSecrets) = (gateway, call.request.queryValue("secrets") == "1")
        return askingRadio(of: source, hasSecrets ? "file with secrets" : "file") {
            () throws(RadioRefusal) in
            try gateway.settingsFile(withChannels: hasSecrets, of: source.id)
        } page: { (file: SettingsFile) throws(APIError) in
            let (text, left) = file.text(withSecrets: hasSecrets)
            return answer("radio-file/1", call, source) { json in
                json.member("text", text)
                json.key("left")
                json.array { json in for path in left { json.value(path) } }
            }
        }
    }

    /// `POST /local/radio/file {changes: [{path, value}], url, texts: {canned_messages, ringtone}, location: {latitudeI, longitudeI, altitude},
    /// preview}`: each of them optional.
    private func takeSettingsFile(_ call: Call) throws(APIError) -> Response {
        let source = try localSource(call)
        let wanted = try wantedSettings(call.body)
        let change: SettingsChange
        do throws(RadioRefusal) {
            change = try gateway.change(wanted, isPreview: call.body?["preview"]?.bool ?? false, of: source.id)
            for row in change.rows { if case .setting(let refusal)? = row.refusal { throw .setting(refusal) } }
        } catch {
            throw APIError(error)
        }
        let lora = gateway.status(of: source.id).lora
        return answer("radio-import/1", call, source) { json in
            json.member("isDone", change.isApplied)
            json.changes(change.rows)
            json.key("slots")
            json.array { json in
                for slot in change.channels?.slots ?? [] where slot.old != nil || slot.new != nil {
                    json.object { $0.slot(slot, lora: lora) }
                }
            }
            json.member("refusal", change.refusal.flatMap { APIError($0).sentence })
            json.consequences(restarts: change.consequences.restarts, change.consequences.warnings)
        }
    }

    private func wantedSettings(_ body: JSONValue?) throws(APIError) -> SettingsEdit {
        var wanted = SettingsEdit()
        (wanted.isFile, wanted.replaces) = (true, true)
        for change in body?["changes"]?.array ?? [] {
            guard let path = change["path"]?.string, let text = change["value"]?.string else {
                throw .badRequest("\"changes\" is a list of objects with the texts \"path\" and \"value\"")
            }
            wanted.changes.append(SettingsEdit.Change(path: path, text: text))
        }
        if let url = body?["url"]?.string { wanted.link = try parsedLink(url) }
        for text in RadioText.allCases {
            guard let value = body?["texts"]?[text.name]?.string else { continue }
            do throws(SettingRefusal) {
                wanted.texts[text] = try text.checked(value)
            } catch {
                throw APIError(.setting(error))
            }
        }
        if let location = body?["location"], location["latitudeI"] != nil {
            let position = Position(
                latitudeI: location["latitudeI"]?.integer.flatMap { Int32(exactly: $0) },
                longitudeI: location["longitudeI"]?.integer.flatMap { Int32(exactly: $0) },
                altitude: location["altitude"]?.integer.flatMap { Int32(exactly: $0) })
            guard let place = FixedPlace(position) else {
                throw .badRequest("\"location\" takes \"latitudeI\" and \"longitudeI\", in 1e-7 degrees")
            }
            wanted.place = place
        }
        return wanted
    }
}
