import CommandLine
import Glibc
import JSON
import Platform
import Synchronization
import Terminal

/// The exit codes of sysexits.h that the commands use.
enum ExitStatus: Int32 {
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case systemError = 71
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    case configuration = 78
}

/// Who else has to know why a command ends: the service manager.
let failureListener = Mutex<(@Sendable (String) -> Void)?>(nil)

/// Ends a command: one sentence on standard error that says what happened, why probably, and what to type.
///
/// - Parameter message: names of files and programs in it may hold anything.
func failure(_ message: String, _ status: ExitStatus) -> any Error {
    let message = printable(message)
    failureListener.withLock { $0 }?(message)
    if StandardError.isJournal {
        StandardError.writeToJournal(message, priority: 3)
    } else {
        writeToStandardError("mesh-gateway: \(message)\n")
    }
    return ExitCode(status.rawValue)
}

func writeToStandardError(_ text: String) {
    write(text, to: STDERR_FILENO)
}

/// Writes at once, so that a pipe's reader sees it before the process goes on.
///
/// A reader that has had enough ends the command without a word, as `head` expects it; any other failure is told.
func writeToStandardOutput(_ text: String) {
    guard let number = write(text, to: STDOUT_FILENO) else { return }
    if number == EPIPE { leave(0) }
    writeToStandardError("mesh-gateway: the output cannot be written: \(systemMessage(number)).\n")
    leave(ExitStatus.inputOutput.rawValue)
}

/// What has to be done before a command ends in the middle: the radio is told good-bye.
let beforeExit = Mutex<(@Sendable () -> Void)?>(nil)

/// Ends the process past everything that is deferred.
private func leave(_ code: Int32) -> Never {
    beforeExit.withLock { $0.take() }?()
    exit(code)
}

/// JSON as it may be shown on a terminal: what a terminal would obey, and what changes the order of text, is escaped.
/// It stands for the same.
func writeJSON(_ text: String) {
    var harmless = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x7f...0x9f, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
            harmless += "\\u\(hexadecimal(scalar.value, digits: 4))".unicodeScalars
        default: harmless.append(scalar)
        }
    }
    writeToStandardOutput(String(harmless) + "\n")
}

/// - Returns: what went wrong (errno); nil: nothing.
@discardableResult
private func write(_ text: String, to descriptor: Int32) -> Int32? {
    let failure = writeAll(text.utf8, to: descriptor)
    return failure == 0 ? nil : failure
}

/// What the system says about an error number, such as "Permission denied".
func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}
