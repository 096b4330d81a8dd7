import Glibc
import Terminal

/// One line on standard error that says what a command waits for; nothing where that is no terminal.
final class Progress {
    private let isShown: Bool
    private var shown = ""

    /// - Parameter isQuiet: show nothing at all.
    init(isQuiet: Bool = false) { isShown = !isQuiet && isTerminal(STDERR_FILENO) }

    func show(_ text: String) {
        guard isShown, text != shown else { return }
        shown = text
        let width = screenWidth(of: STDERR_FILENO, environment: GatewayOptions.environment) ?? 80
        // Back to the start of the line, and the rest of it away.
        writeToStandardError("\r" + cut(printable(text), to: width - 1) + "\u{1B}[K")
    }

    func end() {
        if isShown, !shown.isEmpty { writeToStandardError("\r\u{1B}[K") }
        shown = ""
    }
}
