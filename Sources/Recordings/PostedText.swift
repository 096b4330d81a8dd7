import MeshModel
import MeshProtocol
import Search

extension MeshPacket {
    /// Whether a client of the REST API can send this: a text that is not blank, in one packet, to a channel or a node.
    var canBePosted: Bool {
        guard let text = postedText, !text.isEmpty, text.utf8.count <= 200 else { return false }
        return to.isBroadcast ? channel <= 7 : to.rawValue != 0
    }

    /// The text as the API will send it: trimmed, with newlines for CR LF.
    public var postedText: String? {
        guard let data = decoded, data.port == .textMessage, let text = String(validating: data.payload, as: UTF8.self)
        else { return nil }
        return String(text.replacing("\r\n", with: "\n").drop { $0.isWhitespace }).trimmedAtEnd
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
