import Foundation

/// A database of an older format as a release has written it (Tests/Databases), which a test may change.
struct ReleasedDatabase {
    let folders: Folders
    let path: String

    /// The token that every one of them has.
    static let token = "mm_v1_0123456789abcdef0123456789abcdef"

    init(format: Int, in folders: Folders? = nil) throws {
        self.folders = try folders ?? Folders()
        path = "\(self.folders.root)/mesh.db"
        let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
        try FileManager.default.copyItem(atPath: "\(tests)/Databases/format-\(format).db", toPath: path)
    }
}
