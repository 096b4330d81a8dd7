/// Which rows of a folder's page somebody wants.
public struct RowsWanted: Sendable {
    /// Nil: all of them.
    public let name: String?
    /// Includes the paths of files and what they say; for users of this machine only.
    public let showsFiles: Bool

    public init(named name: String? = nil, showsFiles: Bool) { (self.name, self.showsFiles) = (name, showsFiles) }

    public func includes(_ name: String) -> Bool { self.name == nil || self.name == name }
}
