import JSON
import Routes
import Store

// What `POST /api/v1/push/register` takes: a browser's or an app's address as the Push API has it, or a phone's of Apple's in
// the shape that the apps of the claudiator family send.
//
//     {"endpoint":"https://…","keys":{"p256dh":"…","auth":"…"},"rules":["direct-message"],"name":"Firefox"}
//     {"platform":"ios","push_token":"<hex>","sandbox":true}

struct PostedPush {
    let address: PushAddress
    let name: String?
    /// Nil: all.
    let rules: [String]?

    /// How many rules a registration names.
    private static let mostRules = 64

    /// Members that are not known are left alone: browsers send `expirationTime`.
    init(_ body: JSONValue?) throws(APIError) {
        guard case .object? = body, let body else {
            throw .badRequest("The body is an object: {endpoint, keys} or {platform, push_token}")
        }
        switch Self.given("platform", in: body) {
        case nil: address = try Self.web(body)
        case .string("ios")?: address = try Self.apple(body)
        case .string("android")?:
            throw .badRequest(
                "Android's own service (FCM) is not spoken here; register with UnifiedPush: {endpoint, keys}, no platform"
            )
        default: throw .badRequest("platform is \"ios\", or left out for {endpoint, keys}")
        }
        name = try Self.name(Self.given("name", in: body))
        rules = try Self.rules(Self.given("rules", in: body))
    }

    /// Many programs write null for what they leave out.
    private static func given(_ key: String, in body: JSONValue) -> JSONValue? {
        if case .null? = body[key] { nil } else { body[key] }
    }

    private static func web(_ body: JSONValue) throws(APIError) -> PushAddress {
        guard let endpoint = body["endpoint"]?.string, !endpoint.isEmpty else {
            throw .badRequest("endpoint is a text, such as https://push.example.org/abc")
        }
        guard case .object? = body["keys"], let keys = body["keys"], let p256dh = keys["p256dh"]?.string,
            let auth = keys["auth"]?.string
        else { throw .badRequest("keys has the texts p256dh and auth, both in base64url") }
        return .web(endpoint: endpoint, p256dh: p256dh, auth: auth)
    }

    private static func apple(_ body: JSONValue) throws(APIError) -> PushAddress {
        guard let token = body["push_token"]?.string, (64...200).contains(token.utf8.count), token.utf8.count % 2 == 0,
            token.utf8.allSatisfy({ hexDigit($0) != nil })
        else { throw .badRequest("push_token is a device token in hexadecimal, of 64 to 200 digits") }
        let isSandbox: Bool
        switch given("sandbox", in: body) {
        case nil: isSandbox = false
        case .bool(let value)?: isSandbox = value
        default: throw .badRequest("sandbox is true or false")
        }
        return .apple(deviceToken: token.lowercased(), isSandbox: isSandbox)
    }

    private static func name(_ value: JSONValue?) throws(APIError) -> String? {
        guard let value else { return nil }
        guard let name = value.string?.trimmed, (1...64).contains(name.count), name == name.withoutControlCharacters,
            !name.contains(where: { $0 == "\n" || $0 == "\t" })
        else { throw .badRequest("name has 1 to 64 printable characters") }
        return name
    }

    /// They may be of rules that come later.
    private static func rules(_ value: JSONValue?) throws(APIError) -> [String]? {
        guard let value else { return nil }
        let refusal = APIError.badRequest(
            "rules is a list of 1 to \(mostRules) names of rules, such as [\"direct-message\"]; left out, all of them tell"
        )
        guard let values = value.array, (1...mostRules).contains(values.count) else { throw refusal }
        var names: [String] = []
        for value in values {
            guard let name = value.string, PushDoor.TellingRule.isName(name) else { throw refusal }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
