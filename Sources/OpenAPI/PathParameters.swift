import Search

/// What the words in braces stand for.
enum PathParameters {
    /// - Parameter path: tells whose number an `id` is.
    static func meaning(of name: String, in path: String) -> (schema: JSONSchema, about: String)? {
        switch name {
        case "sourceId": (.text(), source)
        case "id" where path.hasPrefix("/api/sources/"): (.text(), source)
        case "id" where path.contains("/packets/"): (.integer(), "A row's `id`")
        case "id" where path.contains("/waypoints/"):
            (.integer("", in: 1...4_294_967_295), "A row's `waypointId`")
        case "id" where path.contains("/channel-database/"): (.integer(), "An entry's `id`")
        case "deviceId": (.text(), "A source's id")
        case "sessionId": (.text(), "A session's `session_id`")
        case "ruleName": (.text(), "A rule's `name`")
        case "targetName": (.text(), "A target's `name`")
        case "registrationId": (.integer(), "A registration's `id`")
        case "brokerName": (.text(), "A broker's `name`")
        case "conversationName": (.text(), "The `name` of a conversation over a broker")
        case "userId": (.integer(), "A user's number")
        case "nodeId": (.nodeID(), "A node's id as rows show it; `!` may be written as `%21`")
        case "fromNodeId": (.nodeID(), "Where the route begins; `!` may be written as `%21`")
        case "toNodeId": (.nodeID(), "Where the route ends; `!` may be written as `%21`")
        case "nodeNum": (.integer("", in: 1...4_294_967_294), "A node's number")
        case "fromNum": (.nodeNumber(), "One node's number")
        case "toNum": (.nodeNumber(), "The other node's number")
        case "channelId": (.channelIndex(), "A channel's slot")
        case "conversationId":
            (.conversationID(), "`channel:0`, `direct:!a1b2c3d4` or `mqtt:club`; `:` may be written as `%3A`")
        case "messageId": (.text(), "A row's `id`, `<number of the sender>_<packet id>`, or the packet id alone")
        default: nil
        }
    }

    private static let source = "The source's id, or `default` for the first enabled one"
}
