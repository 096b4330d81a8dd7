import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Routes

/// `nodes?fields=nodeId,longName`: of each row these keys alone, in the row's own order. A row has 1.65 kB, and a list of
/// names needs a twentieth of it. What a token would not see in the whole row it does not see here.
struct SelectedNodeFields: Sendable {
    private let names: Set<String>
    /// What a whole row does not have: the name of the number in `hwModel`.
    static let hardwareName = "hwModelName"

    /// Every key that a row can have, in its order.
    static let known: [String] = {
        var node = Node(number: NodeNumber(1), createdAt: 0)
        node.uptimeSeconds = 1
        node.nickname = ""
        node.announcedKey = PublicKey([UInt8](repeating: 1, count: 32))
        var json = JSONWriter()
        json.node(node, isMobile: nil, source: "", for: .localUser)
        return members(of: json.bytes[...]).map(\.name)
    }()

    /// - Returns: nil: the whole row is asked for.
    init?(_ request: Request) throws(APIError) {
        guard let text = request.queryValue("fields"), !text.isEmpty else { return nil }
        let asked = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        if let unknown = asked.first(where: { !Self.known.contains($0) && $0 != Self.hardwareName }) {
            throw .badRequest(
                "fields names keys of a node's row, with commas; \(unknown.quotedStart) is none. There are: "
                    + (Self.known + [Self.hardwareName]).joined(separator: ", "))
        }
        names = Set(asked)
    }

    /// Writes a row with nothing else.
    func write(
        _ node: Node, isMobile: Bool?, source: String, for caller: Caller, to json: inout JSONWriter
    ) {
        var whole = JSONWriter()
        whole.node(node, isMobile: isMobile, source: source, for: caller)
        json.open(UInt8(ascii: "{"))
        for (name, member) in Self.members(of: whole.bytes[...]) where names.contains(name) {
            json.separate()
            json.buffer.append(contentsOf: member)
        }
        if names.contains(Self.hardwareName) {
            json.member("hwModelName", node.hardwareModel.flatMap { EnumNames.hardwareModel($0) })
        }
        json.close(UInt8(ascii: "}"))
    }

    /// The members of an object that this program has written, each with its key. Texts can hold every byte but a bare
    /// quote; no value of a node's row is an object.
    private static func members(of object: ArraySlice<UInt8>) -> [(name: String, member: ArraySlice<UInt8>)] {
        var members: [(name: String, member: ArraySlice<UInt8>)] = []
        var (start, isText, place) = (object.startIndex + 1, false, object.startIndex + 1)
        while place < object.endIndex {
            switch object[place] {
            case UInt8(ascii: "\\") where isText: place += 1
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: ",") where !isText, UInt8(ascii: "}") where !isText:
                let member = object[start..<place]
                let name = member.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
                members.append((String(decoding: name, as: UTF8.self), member))
                start = place + 1
            default: break
            }
            place += 1
        }
        return members
    }
}
