import JSON
import Nettle

/// A JSON Web Token that is signed with ES256 (RFC 7515, 7519); nil unless that is a private key.
///
/// - Parameters:
///   - members: those of the header beside the algorithm.
///   - claims: what is vouched for.
func webToken(
    _ members: (inout JSONWriter) -> Void, claims: (inout JSONWriter) -> Void, by scalar: [UInt8]
) -> String? {
    var head = JSONWriter(capacity: 64)
    head.object { head in
        head.member("alg", "ES256")
        members(&head)
    }
    var body = JSONWriter(capacity: 256)
    body.object { claims(&$0) }
    let text = Base64.linkEncoded(head.bytes) + "." + Base64.linkEncoded(body.bytes)
    guard let signature = P256.signature(of: Array(text.utf8), by: scalar) else { return nil }
    return text + "." + Base64.linkEncoded(signature)
}
