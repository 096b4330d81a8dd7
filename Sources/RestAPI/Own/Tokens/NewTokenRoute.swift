import HTTPServer
import JSON
import QRCodes
import Routes
import Store

// `POST /api/v1/tokens {name}`, ours: the page adds a phone. Whoever holds a token with everything gets one with what a person
// needs, for good, and the link that signs the phone in.
//
// The new token outlives the one that made it. So it is always the same token that can be had: no scopes and no end can be asked
// for, who made it is kept, and one maker has a few.

extension RestAPI {
    static let newTokenEndpoints: [Endpoint] = [.v1ForAdmins(.post, "tokens", RestAPI.makeToken)]

    func makeToken(_ call: Call) throws(APIError) -> Response {
        guard call.caller.token != nil else {
            throw .forbidden("Another token makes it; here, type: mesh-gateway token create NAME")
        }
        guard case .object(let members)? = call.body, members.count == 1, let name = members["name"]?.string?.trimmed
        else { throw .badRequest("name is a text, and nothing else can be asked for") }
        guard let link = signInLink(for: call.request) else {
            throw .badRequest("Host does not say where the page is, and public-url is not set")
        }
        let token: APIToken
        do {
            token = try newToken(named: name, by: call.caller)
        } catch {
            throw APIError(making: error)
        }
        let url = link.text(for: token.text)
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("name", name)
                json.member("token", token.text)
                json.member("prefix", token.prefix)
                json.key("scopes")
                json.array { json in for scope in Scopes.firstToken.list { json.value(scope) } }
                json.member("madeBy", call.caller.tokenName)
                json.key("signIn")
                json.object { json in
                    json.member("url", url)
                    json.member("svg", QRCode(url)?.svg)
                }
            }
        }
        var response = Response.json(.bytes(json.bytes), status: 201)
        response.headers.append(Header.noStore)
        return response
    }
}

extension APIError {
    /// Why a token was not made.
    fileprivate init(making refusal: TokenRegister.Refusal) {
        switch refusal {
        case .badName, .badToken: self = .badRequest("A name has 1 to 64 printable characters")
        case .store(StoreError.makerRevoked): self = .tokenInvalid
        case .store(StoreError.nameTaken(let name)): self = .conflict("There is already a token called \(name)")
        case .store(StoreError.tooManyOfMaker(let count)):
            self = .conflict("This token has made \(count) that are active: revoke one of them")
        case .store(StoreError.tooManyTokens(let count)):
            self = .conflict("\(count) tokens are active: revoke one that nobody uses")
        case .store: self = .failed("The token could not be stored")
        }
    }
}
