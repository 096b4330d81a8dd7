import Foundation

@testable import ServedProgram

/// The disk under a program's database, which fails and recovers as the test wants (Tests/CFaultyDisk).
final class FaultyDisk {
    let database: String
    private let control: String

    /// - Parameter database: nil: one of its own, which ``environment`` has the program use.
    init(in folders: Folders, database: String? = nil) {
        self.database = database ?? "\(folders.root)/mesh.db"
        control = "\(folders.root)/fault"
    }

    /// What makes a program use it.
    var environment: [String: String] {
        get throws {
            [
                "LD_PRELOAD": try SharedObject.faultyDisk.get(), "FAULTYDISK_DATABASE": database,
                "FAULTYDISK_CONTROL": control, "MESH_GATEWAY_DATABASE": database,
            ]
        }
    }

    enum Call: String {
        case write, sync, truncate, open, read

        /// Those of who changes something, or opens it anew.
        static let ofWriters: [Call] = [.write, .sync, .truncate, .open]
    }

    /// Lets every n-th of these calls fail from now on.
    func fail(_ calls: [Call], with error: Int32, every n: Int) throws {
        let names = calls.map(\.rawValue).joined(separator: ",")
        // Beside and renamed: the program must not read a part of it.
        try "\(names) \(error) \(n)\n".write(toFile: control, atomically: true, encoding: .utf8)
    }

    /// None of these calls returns from now on, until the disk has recovered.
    func hang(_ calls: [Call]) throws { try fail(calls, with: 0, every: 1) }

    /// Every one of these calls takes so many milliseconds from now on.
    func delay(_ calls: [Call], milliseconds: Int32) throws { try fail(calls, with: -milliseconds, every: 1) }

    func recover() throws { try FileManager.default.removeItem(atPath: control) }

    /// How many calls have failed so far.
    var failures: Int {
        ((try? FileManager.default.attributesOfItem(atPath: "\(control).failed"))?[.size] as? NSNumber)?.intValue ?? 0
    }
}
