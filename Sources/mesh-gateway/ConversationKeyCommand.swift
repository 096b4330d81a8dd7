import CommandLine
import Glibc
import JSON
import MeshModel
import Platform
import QRCodes
import Store
import Terminal

extension ConversationCommand {
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key", abstract: "Shows the key that seals a conversation, makes one, or takes one over.",
            discussion: """
                A conversation with a key is sealed: its broker cannot read it. It is read and written by those who have the \
                key, so give it to them, and by another way than the broker. --import takes over theirs.
                """)

        @Argument(help: "Which one.", completion: Completion.brokerConversations)
        var name: String

        @Flag(help: "Make a key.")
        var new = false

        @Option(
            name: .customLong("import"),
            help: ArgumentHelp("Take over the key in this file, - for standard input.", valueName: "file"),
            completion: .file)
        var file: String?

        @Flag(help: "Forget the key: from then on texts go out in clear.")
        var forget = false

        @Flag(help: "Show the key as a QR code.")
        var qr = false

        @OptionGroup var confirming: Confirming
        @OptionGroup var gatewayOptions: GatewayOptions

        func run() throws {
            guard [new, file != nil, forget, qr].count(where: \.self) <= 1 else {
                throw failure("only one of --new, --import, --forget and --qr.", .usage)
            }
            let client = try LocalClient.ofBrokers(gatewayOptions)
            if let file { return try take(file, client) }
            if forget { return try forgetKey(client) }
            if new { _ = try Page(client.answer("POST", route, body: "{}")) }
            let key = try Page(client.answer("GET", page)).json["key"]?.string ?? ""
            writeToStandardError("Warning: whoever has this key can read what is said, and write as anybody.\n")
            if qr { return writeToStandardOutput(QRCode(key)?.drawn ?? "") }
            writeToStandardOutput(key + "\n")
        }

        private func take(_ file: String, _ client: LocalClient) throws {
            guard let text = file == "-" ? readLine() ?? "" : contents(of: file) else {
                throw failure("\(printable(file)) cannot be read: \(systemMessage(errno)).", .noInput)
            }
            let lines = text.split(whereSeparator: \.isWhitespace)
            guard lines.count == 1, let key = ConversationKey(String(lines[0])) else {
                let place = file == "-" ? "on standard input" : "in \(printable(file))"
                throw failure(
                    "there is no key \(place); it is one line, meshgw-key:1: and 43 characters, as "
                        + "mesh-gateway conversation key NAME shows it.", .dataError)
            }
            let body = JSONText.object([("key", JSONText.quoted(key.text))])
            _ = try Page(client.answer("POST", page, body: body))
            writeToStandardOutput("\(BrokerConversation.idPrefix)\(name) is sealed with the key \(key.id).\n")
        }

        private func forgetKey(_ client: LocalClient) throws {
            let id = try Page(client.answer("GET", page)).json["keyId"]?.string ?? ""
            writeToStandardError(
                Screen.lines(
                    "Without the key \(id) the others in \(BrokerConversation.idPrefix)\(name) cannot be read from then on, "
                        + "and texts that wait for the broker are not sent. What is stored here stays."))
            let retry = "mesh-gateway conversation key \(name) --forget"
            guard try confirming.confirm("Forget it", retry: retry, reason: "this forgets a key") else {
                throw ExitCode(1)
            }
            _ = try Page(client.answer("DELETE", route))
            writeToStandardOutput("\(BrokerConversation.idPrefix)\(name) has no key any more.\n")
        }

        private var route: String { "/api/v1/mqtt/conversations/\(PercentEncoding.segment(name))/key" }
        private var page: String { "/local/mqtt/conversations/\(PercentEncoding.segment(name))/key" }
    }
}
