import JSON
import MeshProtocol

extension JSONWriter {
    /// The members of one row of a change, as `radio-action/1` has them.
    public mutating func members(of row: SettingsChange.Row) {
        member("path", row.path)
        key("old")
        value(row.old)
        key("new")
        value(row.new)
        key("taken")
        value(row.taken)
        member("oldSecretBytes", row.old?.secretBytes)
        member("newSecretBytes", row.new?.secretBytes)
        member("isChange", row.isChange)
        member("isTaken", row.isTaken)
    }

    public mutating func changes(_ rows: [SettingsChange.Row]) {
        key("changes")
        array { json in for row in rows { json.object { $0.members(of: row) } } }
    }
}
