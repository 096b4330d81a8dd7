/// What the words in braces stand for, the same in every path.
enum PathParameters {
    static func meaning(of name: String) -> (schema: Schema, about: String)? {
        switch name {
        case "sourceId": (.text(), "The source's id, or `default` for the first enabled one")
        case "nodeId": (.nodeID(), "A node's id as rows show it; `!` may be written as `%21`")
        case "channelId": (.channelIndex(), "A channel's slot")
        case "messageId":
            (.text(), "A row's `id`, `<number of the sender>_<packet id>`, or the packet id alone")
        default: nil
        }
    }
}
