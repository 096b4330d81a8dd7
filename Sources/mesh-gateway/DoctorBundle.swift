import Archives
import CommandLine
import Configuration
import Diagnostics
import Glibc
import Platform
import Store

/// What somebody needs who looks for the cause of a bug from afar: one tar archive, without secrets and without what people
/// have said or where they are.
struct DoctorBundle {
    private let gathered: GatheredFacts
    private let report: DoctorReport

    init(_ gathered: GatheredFacts, _ report: DoctorReport) {
        self.gathered = gathered
        self.report = report
    }

    /// Writes it beside, then in its place: a file of that name is whole, or it is the one of before.
    func write(to path: String, isQuiet: Bool) throws {
        let archive = archive
        do throws(WriteFailure) {
            try replaceFile(path, with: archive.bytes)
        } catch {
            throw failure(
                "\(path) cannot be written: \(systemMessage(error.number)); name another file.", .cannotCreate)
        }
        guard !isQuiet else { return }
        writeToStandardOutput(
            "\n\(path) holds \(archive.names.joined(separator: ", ")).\n"
                + "Keys, tokens, texts and positions are not in it. Look into it: tar -xOf \(path) | less\n")
    }

    private var archive: Archive {
        let facts = gathered.facts
        var archive = Archive(time: facts.now / 1000)
        archive.add("doctor.json", scrubbed(report.json) + "\n")
        archive.add("doctor.txt", scrubbed(report.text(width: nil, isPlain: true)))
        archive.add("versions.txt", versions)
        archive.add("ports.txt", ports)
        archive.add("configuration.txt", configuration)
        if let diagnosis = gathered.diagnosis { archive.add("diagnosis.json", scrubbed(diagnosis) + "\n") }
        if let counts = tables { archive.add("tables.txt", counts) }
        // From a slow SD card this takes seconds.
        let journal = Subprocess.output(
            of: ["journalctl", "-u", "mesh-gateway", "-n", "500", "--no-pager", "--no-hostname", "-o", "short-iso"],
            patience: 10_000_000_000)
        archive.add("journal.txt", journal.map { scrubbed(log: $0) } ?? "The journal could not be read.\n")
        return archive
    }

    private var versions: String {
        let host = gathered.facts.host
        var lines = ["mesh-gateway \(MeshGateway.version)"]
        if case .running(let version, _, _, _) = gathered.facts.daemon { lines.append("daemon \(version)") }
        var system = utsname()
        if uname(&system) == 0 {
            func text<T>(_ field: T) -> String {
                withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            }
            lines.append("\(text(system.sysname)) \(text(system.release)) \(text(system.machine))")
        }
        if let name = host.lines("/etc/os-release").first(where: { $0.hasPrefix("PRETTY_NAME=") }) {
            lines.append(String(name.dropFirst(12)))
        }
        if let model = host.text("/proc/device-tree/model") { lines.append(model) }
        return lines.joined(separator: "\n") + "\n"
    }

    private var ports: String {
        let lines = gathered.facts.ports.map { port in
            let holder = port.holder.map { ", held by \($0.name) (process \($0.id))" } ?? ""
            return "\(port.path) \(port.kind.rawValue), \(port.label), group \(port.groupName ?? "?")"
                + (port.isPermitted ? "" : ", not permitted") + holder + (port.stablePath.map { ", \($0)" } ?? "")
        }
        return lines.isEmpty ? "No serial port.\n" : scrubbed(lines.joined(separator: "\n")) + "\n"
    }

    private var configuration: String {
        let file = gathered.facts.settings.file
        guard let text = gathered.facts.host.text(file) else { return "There is no \(file).\n" }
        return "# \(file)\n" + scrubbed(configuration: text, known: Set(Key.allCases.map(\.rawValue)))
    }

    /// How many rows there are, for who wants to know how large a mesh is.
    private var tables: String? {
        guard gathered.facts.database.content == .open, let path = gathered.facts.database.path else { return nil }
        guard let store = try? Store.openReadOnly(path: path),
            let counts = try? store.rowCounts(within: 500_000_000)
        else { return nil }
        return counts.map { "\($0.table) \($0.rows)\n" }.joined()
    }
}

struct WriteFailure: Error {
    /// errno.
    let number: Int32
}

/// Writes a file beside the one that it is to replace, and puts it in its place when it is on disk.
///
/// - Parameters:
///   - mode: who may read it; by default its owner alone.
///   - group: may read it besides. Unless it can be given to the group, it stays its owner's.
func replaceFile(
    _ path: String, with bytes: [UInt8], mode: mode_t = 0o600, readableBy group: gid_t? = nil
) throws(WriteFailure) {
    let beside = "\(path).\(getpid()).part"
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteFailure(number: errno) }
    var number = writeAll(bytes, to: descriptor)
    // By descriptor and before it has its name: by then the name could be that of another file.
    let isGiven = group.map { fchown(descriptor, uid_t.max, $0) == 0 } ?? false
    let mode = isGiven ? mode | 0o040 : mode
    // Whatever the umask has made of it.
    if number == 0, fchmod(descriptor, mode) != 0 { number = errno }
    if number == 0, fsync(descriptor) != 0 { number = errno }
    close(descriptor)
    if number == 0, rename(beside, path) != 0 { number = errno }
    guard number != 0 else { return }
    unlink(beside)
    throw WriteFailure(number: number)
}
