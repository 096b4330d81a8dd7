import CommandLine
import JSON
import Platform
import Routes
import Search
import Terminal

extension RuleCommand {
    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Lets a rule with once = node act for each node once more.",
            discussion: """
                For whom such a rule has acted is kept under its name, whatever its file says later, and also when the file \
                is gone.
                """)

        @Argument(help: "Which rule.")
        var name: String

        @OptionGroup var viewing: Viewing

        func run() throws {
            let backend = try Backend.reading(viewing, isTold: false)
            guard case .daemon = backend else {
                throw failure("no daemon is running; start it: sudo systemctl start mesh-gateway", .unavailable)
            }
            let page = try backend.post("/local/rules/\(PercentEncoding.segment(name))/forget", body: "{}")
            try viewing.show(page) { page in
                let count = page["nodes"]?.integer ?? 0
                return Screen.lines(
                    count == 0
                        ? "The rule \(name) had acted for no node."
                        : "The rule \(name) acts once more for \(count == 1 ? "1 node" : "\(count) nodes").")
            }
        }
    }
}
