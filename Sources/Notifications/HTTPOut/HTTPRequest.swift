/// A request that leaves this machine.
struct HTTPRequest: Sendable {
    var address: WebAddress
    var headers: [(name: String, value: String)] = []
    /// With a body it is a POST, else a GET.
    var body: [UInt8]?
    /// A PEM file of authorities to trust instead of the system's.
    var authority: String?
    var proxy: WebAddress?
    /// Whether it may go to this machine, and to link-local addresses.
    var isLocalAllowed = false
    /// Whether it may go to addresses of the whole internet only.
    var isPublicOnly = false
    /// In place of HTTP/1.1, where the server speaks it.
    var isHTTP2 = false
    /// The outcome has the answer's body.
    var keepsBody = false
}

extension HTTPRequest {
    /// Why it does not go to an address that its host has; nil: it may.
    func refusal(of address: NetworkAddress) -> HTTPFailure? {
        let host = (proxy ?? self.address).host
        if isPublicOnly { return address.isPublic ? nil : .notPublic(host: host) }
        if isLocalAllowed { return nil }
        return address.place().map { .refused($0, host: host) }
    }
}

/// The result of a request.
enum HTTPOutcome: Hashable, Sendable {
    /// - Parameters:
    ///   - retryAfter: the header's value.
    ///   - body: at most 4 kB; empty unless the request keeps it.
    case answered(status: Int, retryAfter: String?, body: [UInt8] = [])
    case failed(HTTPFailure)
}

/// Why there is no answer, in words for people that reveal only the host of an address.
enum HTTPFailure: Hashable, Sendable {
    case unknownHost(String)
    case lookupTooSlow(String)
    case refused(NetworkAddress.Place, host: String)
    /// It is not an address of the whole internet.
    case notPublic(host: String)
    /// curl's exit code.
    case curl(code: Int32, certificate: Int, host: String)
    case tooSlow(host: String)
    case noCurl
    case oldCurl
    case ended(signal: Int32)
    /// No descriptor or process is available.
    case system(String)
    /// The gateway is stopping.
    case stopped
}

extension HTTPFailure: CustomStringConvertible {
    static let missingCurl = "curl is not installed, and nothing can be sent without it: sudo apt install curl"

    var description: String {
        switch self {
        case .unknownHost(let host): "\(host) has no address: the name is wrong, or there is no network"
        case .lookupTooSlow(let host): "nobody says which address \(host) has: there is no name server in reach"
        case .refused(.thisHost, let host):
            "\(host) is this computer, where other things listen; if it is meant, write: allow-local = yes"
        case .refused(.linkLocal, let host):
            "\(host) has an address of the cable only (link-local); if it is meant, write: allow-local = yes"
        case .refused(.nowhere, let host): "\(host) has an address that is no machine's"
        case .notPublic(let host):
            "\(host) has no public address, and an app could make this computer call its neighbours; if it is meant, write in "
                + "mesh-gateway.conf: push-hosts = \(host)"
        case .curl(let code, let certificate, let host): Self.words(code, certificate, host)
        case .tooSlow(let host): "\(host) did not answer within 30 seconds"
        case .noCurl: Self.missingCurl
        case .oldCurl: "curl is too old, 7.68 is needed: sudo apt install curl"
        case .ended(let signal): "curl was ended by signal \(signal)"
        case .system(let reason): "curl cannot be started: \(reason)"
        case .stopped: "the gateway stops"
        }
    }

    /// curl(1), "Exit codes"; for certificates OpenSSL's (verify(1)).
    private static func words(_ code: Int32, _ certificate: Int, _ host: String) -> String {
        switch code {
        case 1: return "\(host) answers in something other than HTTP"
        case 5, 97: return "the proxy is not to be reached"
        case 7: return "\(host) is not to be reached, or refuses the connection"
        case 28: return "\(host) did not answer within 30 seconds"
        case 35, 58, 59, 66: return "\(host) speaks no TLS that this computer does"
        case 52: return "\(host) has closed the connection without an answer"
        case 55, 56, 18: return "the connection to \(host) broke"
        case 77: return "the file of `ca` cannot be read, or holds no certificate"
        case 51, 60:
            switch certificate {
            case 10: return "the certificate of \(host) has expired"
            case 18, 19, 20, 21:
                return
                    "the certificate of \(host) is signed by an authority that is not trusted here; name it with: ca = FILE"
            default:
                return
                    "the certificate of \(host) is not good: it has expired, or is for another name, or nobody vouches for it"
            }
        default: return "\(host): curl gave up with code \(code)"
        }
    }
}
