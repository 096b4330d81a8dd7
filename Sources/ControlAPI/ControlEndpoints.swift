import Routes

/// What the local socket serves are handlers of it, each beside its list of endpoints.
public typealias ControlAPI = API

/// Everything that the command line asks a running daemon. Each subject lists its own in its file.
public enum ControlEndpoints {
    public static let all: [Endpoint] = [
        ControlAPI.localEndpoints, ControlAPI.localKeyEndpoints, ControlAPI.localPageEndpoints,
        ControlAPI.radioEndpoints, ControlAPI.settingsFileEndpoints, ControlAPI.channelLinkEndpoints,
        ControlAPI.messageStreamEndpoints,
        ControlAPI.eventEndpoints, ControlAPI.sendingEndpoints, ControlAPI.nodeRequestEndpoints,
        ControlAPI.waypointCommandEndpoints, ControlAPI.nodeNotesEndpoints, ControlAPI.ruleEndpoints,
        ControlAPI.targetEndpoints, ControlAPI.pushEndpoints,
        ControlAPI.brokerEndpoints, ControlAPI.conversationKeyEndpoints,
    ].flatMap { $0 }
}
