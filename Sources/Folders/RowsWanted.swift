/// Which rows of a folder's page somebody wants.
public struct RowsWanted: Sendable {
    /// Nil: all of them.
    public let name: String?
    /// With the names of files, and with what stands in them: for users of this machine.
    public let showsFiles: Bool

    public init(named name: String? = nil, showsFiles: Bool) { (self.name, self.showsFiles) = (name, showsFiles) }

    public func includes(_ name: String) -> Bool { self.name == nil || self.name == name }
}
