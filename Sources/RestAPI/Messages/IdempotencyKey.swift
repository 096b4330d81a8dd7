import HTTPServer
import JSON
import MeshModel
import Nettle
import Routes

// `Idempotency-Key`, ours, as the IETF's draft has it (draft-ietf-httpapi-idempotency-key-header): whoever got no answer to a
// POST asks again with the key of the first time. The keys of a token are its own.

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

/// What a key stands for: the body as it was read, whatever blanks it was sent with and in which order; the port, and the
/// radio.
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
