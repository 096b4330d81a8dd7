import Glibc
import Log
import Systemd
import Terminal

/// Writes log entries to standard error, as lines with a time for people; or to the journal, with their fields.
struct LogOutput {
    /// There are several radios: a line says which one it is about.
    var namesDevices = false

    func write(_ entry: LogEntry) {
        let device = namesDevices ? entry.fields["device"].map { "\($0): " } ?? "" : ""
        // Nodes and the radio have a say in it: it stays one line, whatever they say.
        let line = printable("\(device)\(entry.text)")
        guard StandardError.isJournal else {
            return writeToStandardError("\(Self.timestamp()) \(entry.level): \(line)\n")
        }
        let fields = entry.fields.sorted { $0.key < $1.key }
        StandardError.writeToJournal(line, priority: entry.level.priority, fields)
    }

    private static func timestamp() -> String { localTime(milliseconds: Int64(time(nil)) * 1000, utc: false) }
}

/// Where standard error goes.
enum StandardError {
    static let isJournal = Journal.keepsStandardError()
    private static let journal = isJournal ? Journal() : nil

    /// - Parameter fields: beside message and priority. Without the journal's socket they are left out: a line is all
    ///   that fits, with its priority before it (sd-daemon(3)).
    static func writeToJournal(_ line: String, priority: Int, _ fields: [(key: String, value: String)] = []) {
        if journal?.write(line, priority: priority, fields: fields) == true { return }
        writeToStandardError("<\(priority)>\(line)\n")
    }
}
