import Foundation
import Testing

@testable import ServedProgram

/// Screens of a real terminal: each command runs in a window of its own of a tmux server, which is nobody else's.
final class RealTerminal {
    private let folders: Folders
    private let environment: [String: String]
    private let socket: String
    /// The process id of tmux's server, when there is one.
    private var server: pid_t?

    init(in folders: Folders, environment: [String: String] = [:]) {
        self.folders = folders
        self.environment = environment
        socket = "\(folders.root)/tmux"
    }

    /// Under a clock that stands still it would wait for ever for the end of its windows.
    deinit { if let server { kill(server, SIGKILL) } }

    /// Runs a shell command in a terminal of that many columns, and gives what then stands on its screen, up to its exit
    /// code.
    func screen(of command: String, columns: Int) throws -> String {
        let session = "w\(UInt32.random(in: 0...UInt32.max))"
        // The window stays long enough to be looked at, and not for ever if the test dies.
        let line = "\(command); printf '[exit %s]\\n' $?; sleep 100"
        // The server outlives its last window: one that is about to end would refuse the next.
        let started = try tmux(
            "new-session", "-d", "-P", "-F", "#{pid}", "-s", session, "-x", "\(columns)", "-y", "200", "sh", "-c", line,
            ";", "set", "-s", "exit-empty", "off")
        server = pid_t(started.output.trimmingCharacters(in: .newlines))
        try #require(started.code == 0 && server != nil)
        let deadline = Date(timeIntervalSinceNow: Program.patience)
        while Date() < deadline {
            let text = try tmux("capture-pane", "-p", "-t", session).output
            if text.contains(/\[exit \d+\]/) {
                _ = try tmux("kill-session", "-t", session)
                // tmux moves a joiner of emoji to another cell now and then; nobody sees one.
                return String(text.unicodeScalars.filter { $0 != "\u{200D}" }.map(Character.init))
                    .replacing(/\n+$/, with: "\n")
            }
            usleep(20_000)
        }
        throw Failure.neverEnded(command)
    }

    enum Failure: Error { case neverEnded(String) }

    /// The server takes its environment from the client that starts it.
    private func tmux(_ arguments: String...) throws -> (code: Int32, output: String) {
        var environment = environment
        environment["LC_ALL"] = "C.UTF-8"
        environment["TERM"] = "xterm"
        // The real executable under its short name, as a user types it.
        environment["PATH"] =
            "\((Program.path as NSString).deletingLastPathComponent):"
            + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let program = try Program(
            ["-S", socket, "-f", "/dev/null"] + arguments, in: folders, environment: environment,
            executable: "/usr/bin/tmux")
        return (try program.exitCode(), program.output.text)
    }
}
