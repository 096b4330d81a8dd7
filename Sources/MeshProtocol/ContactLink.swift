import MeshModel
import Nettle

/// A link with which a node is given to others, as text or as QR code: `https://meshtastic.org/v/#` and a SharedContact in
/// base64. There is no secret in it.
public enum ContactLink {
    public static func text(of contact: SharedContact) -> String {
        "https://meshtastic.org/v/#" + Base64.linkEncoded(contact.encoded())
    }
}
