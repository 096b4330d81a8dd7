import HTTPServer
import Routes
import Testing

@testable import RestAPI

@Suite struct EveryFailureHasTheContractsBody {
    /// failure -> status, body: the shapes differ by layer (Contract 7.2)
    @Test(
        arguments: [
            (
                APIError.invalidJSON, 400,
                #"{"error":"Bad Request","message":"Invalid JSON in request body. Please check your JSON syntax."}"#
            ),
            (
                .tokenCheckFailed, 500,
                #"{"error":"Internal Server Error","message":"Failed to authenticate API token"}"#
            ),
            (
                .transmitDisabled, 409,
                #"{"success":false,"error":"Transmit is disabled on this source","code":"TX_DISABLED"}"#
            ),
            (
                .notConnected, 503,
                #"{"success":false,"error":"Service Unavailable","message":"Not connected to Meshtastic node"}"#
            ),
            (
                .failed("Failed to retrieve nodes"), 500,
                #"{"success":false,"error":"Internal Server Error","message":"Failed to retrieve nodes"}"#
            ),
            (.forbidden("no"), 403, #"{"success":false,"error":"Forbidden","message":"no"}"#),
            (.conflict("twice"), 409, #"{"success":false,"error":"Conflict","message":"twice"}"#),
            (
                .bodyTooLarge(limit: 5), 413,
                #"{"success":false,"error":"Payload Too Large","message":"The request body is larger than 5 bytes"}"#
            ),
            (
                .unsupportedCoding, 415,
                #"{"success":false,"error":"Unsupported Media Type","#
                    + #""message":"A body must come as it is, without a Content-Encoding"}"#
            ),
        ] as [(APIError, Int, String)])
    func bodies(_ error: APIError, _ status: Int, _ body: String) throws {
        let answer = try Answer(error.response)
        #expect(answer.status == status)
        #expect(answer.text == body)
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
    }

    @Test(arguments: [
        (RefusalReason.nulInTarget, 400), (.ambiguousLength, 400), (.unsupportedTransferEncoding, 501),
        (.bodyTooLarge(limit: 1), 413), (.malformedHead, 400), (.malformedLength, 400),
    ])
    func refusalsOfTheServer(_ reason: RefusalReason, _ status: Int) throws {
        let answer = try Answer(try TestGateway().api.refused(reason))
        #expect(answer.status == status)
        #expect(JSONText(answer.body).keys == ["success", "error", "message"])
        #expect(answer.message?.isEmpty == false)
    }
}
