import CommandLine
import Configuration
import JSON
import MeshModel
import RadioLink

/// What a shell offers for the words of a command: what the running daemon knows, or nothing.
///
/// A shell asks while a person waits, so no answer takes longer than a second, and no error is shown. Names come from
/// strangers on the mesh, and people have scripts of earlier versions, which expand what they are offered (`compgen -W`
/// in bash): a name with a character that means something to a shell is not offered, only its node's id is.
enum Completion {
    static var nodes: CompletionKind { page("/local/nodes", nodes) }

    /// Nodes, and conversations over brokers.
    static var parties: CompletionKind {
        .custom { line in
            words("/local/nodes", line, nodes)
                + words("/local/mqtt/conversations", isOfSource: false, line) { page in
                    brokerConversations(page).map { BrokerConversation.idPrefix + $0 }
                }
        }
    }

    static var brokerConversations: CompletionKind {
        page("/local/mqtt/conversations", isOfSource: false, brokerConversations)
    }

    static var brokers: CompletionKind {
        page("/local/mqtt", isOfSource: false) { page in
            (page["brokers"]?.array ?? []).flatMap { names(of: $0, "name") }
        }
    }

    private static func nodes(_ page: JSONValue) -> [String] {
        let nodes = page["nodes"]?.array ?? []
        return nodes.compactMap { $0["nodeId"]?.string } + nodes.flatMap { names(of: $0, "shortName", "longName") }
    }

    private static func brokerConversations(_ page: JSONValue) -> [String] {
        (page["conversations"]?.array ?? []).flatMap { names(of: $0, "name") }
    }

    static var channels: CompletionKind {
        page("/local/channels") { page in
            let channels = (page["channels"]?.array ?? []).filter { $0["role"]?.string != "disabled" }
            return channels.compactMap { $0["index"]?.integer.map { "\($0)" } }
                + channels.flatMap { names(of: $0, "name") }
        }
    }

    static var sources: CompletionKind {
        page("/local/status", isOfSource: false) { page in
            (page["sources"]?.array ?? []).flatMap { names(of: $0, "name", "id") }
        }
    }

    static var tokens: CompletionKind {
        page("/local/tokens") { page in
            (page["tokens"]?.array ?? []).filter { $0["state"]?.string == "active" }.flatMap { names(of: $0, "name") }
        }
    }

    static var registrations: CompletionKind {
        page("/local/push/registrations", isOfSource: false) { page in
            (page["registrations"]?.array ?? []).compactMap { $0["id"]?.integer.map { "\($0)" } }
        }
    }

    static var devices: CompletionKind {
        .custom { _ in
            ["auto", "simulated", "tcp:"] + PortScan.ports().flatMap { [$0.stablePath, $0.path] }.compactMap { $0 }
        }
    }

    private static func page(
        _ path: String, isOfSource: Bool = true, _ words: @escaping @Sendable (JSONValue) -> [String]
    ) -> CompletionKind {
        .custom { Self.words(path, isOfSource: isOfSource, $0, words) }
    }

    private static func words(
        _ path: String, isOfSource: Bool = true, _ line: [String], _ words: (JSONValue) -> [String]
    ) -> [String] {
        let source = isOfSource ? value(of: "--source", in: line) : nil
        let query = source.map { "?source=\(PercentEncoding.segment($0))" } ?? ""
        guard let client = client(line), let answer = try? client.request("GET", path + query),
            answer.status == 200, let page = JSONValue(answer.body, isOurs: true)
        else { return [] }
        return words(page)
    }

    /// The daemon that the command would ask.
    private static func client(_ line: [String]) -> LocalClient? {
        var options = Configuration.Options()
        options.socket = value(of: "--socket", in: line)
        let file = value(of: "--config", in: line)
        guard
            let settings = try? Configuration.load(
                file: file, environment: GatewayOptions.environment, options: options)
        else { return nil }
        return LocalClient(path: GatewayOptions.daemonSocket(settings), patience: 1)
    }

    private static func value(of option: String, in line: [String]) -> String? {
        guard let place = line.firstIndex(of: option), place + 1 < line.count else { return nil }
        return line[place + 1]
    }

    private static func names(of value: JSONValue, _ keys: String...) -> [String] {
        keys.compactMap { value[$0]?.string }.filter(isHarmless)
    }

    private static func isHarmless(_ name: String) -> Bool {
        !name.isEmpty && name.first != " " && name.first != "-"
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", ".", ",", "+": true
                default: scalar.properties.isAlphabetic || scalar.properties.isEmojiPresentation
                }
            }
    }
}
