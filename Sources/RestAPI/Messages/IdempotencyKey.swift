import HTTPServer
import JSON
import MeshModel
import Nettle
import Routes

// `Idempotency-Key`, ours, as the IETF's draft has it (draft-ietf-httpapi-idempotency-key-header): a client that got
// no answer to a POST sends it again with the same key. Each token has keys of its own.

extension Request {
    /// Nil: none was sent. Nothing is forgotten in silence: a key that cannot be kept is an error.
    var idempotencyKey: String? {
        get throws(APIError) {
            let keys = headers("Idempotency-Key")
            guard let key = keys.first else { return nil }
            guard keys.count == 1, (1...128).contains(key.utf8.count),
                key.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw .badRequest("Idempotency-Key must be 1 to 128 printable characters") }
            return key
        }
    }
}

/// The request that a key belongs to: the parsed body, so that blanks and the order of members do not count, with the port
/// and the radio.
struct AskedText {
    let body: JSONValue
    let port: PortNumber
    /// A UUID: the same under each of its paths.
    let source: String

    /// SHA-256.
    var digest: [UInt8] {
        var json = JSONWriter()
        json.array { json in
            json.value(source)
            json.value(port.rawValue)
            json.sorted(body)
        }
        return SHA256.digest(of: json.bytes)
    }
}

extension JSONWriter {
    /// Two values that are equal are the same bytes. As deep as a body may be (``JSONParser/maximumDepth``).
    fileprivate mutating func sorted(_ body: JSONValue) {
        switch body {
        case .null: null()
        case .bool(let flag): value(flag)
        case .number(let number): value(number)
        case .string(let text): value(text)
        case .array(let values): array { json in for value in values { json.sorted(value) } }
        case .object(let members):
            object { json in
                for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                    json.key(text: key)
                    json.sorted(value)
                }
            }
        }
    }
}

extension APIError {
    static var keyUsedForAnother: APIError {
        .codedFailure(422, "This Idempotency-Key was used for another text", code: "IDEMPOTENCY_KEY_REUSED")
    }
}
