import Gateway
import HTTPServer
import JSON
import Routes
import Store

// Orders to the radio itself at MeshMonitor's own paths.

extension RestAPI {
    static let deviceEndpoints: [Endpoint] = [
        .session(
            .post, "/api/device/reboot", Permission(.configuration, .write),
            { api in
                { (call: Call) throws(APIError) -> Response in try api.rebootDevice(call) }
            })
    ]

    /// `POST /api/device/reboot {sourceId?, seconds?}`: answered when the order is on its way. The radio's own answer is not
    /// awaited: a thread of the server would wait with it.
    private func rebootDevice(_ call: Call) throws(APIError) -> Response {
        let source = try source(call.request.sourceAsked(call.body))
        var seconds: Int64 = 5
        if let asked = call.body?["seconds"] {
            guard let number = asked.integer, (0...86_400).contains(number) else {
                throw .brief(400, "seconds must be a number between 0 and 86400")
            }
            seconds = number
        }
        do throws(RadioRefusal) {
            try gateway.orderReboot(in: Int32(seconds), of: source.id)
        } catch {
            throw .coded(503, "Not connected to Meshtastic node", code: "NOT_CONNECTED")
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("message", "Device will reboot in \(seconds) seconds")
        }
        return .json(.bytes(json.bytes))
    }
}
