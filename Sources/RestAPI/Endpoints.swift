import Routes

/// The contract's routes are handlers of it, each beside its list of endpoints.
public typealias RestAPI = API

/// Everything of the contract. Each resource lists its own in its file.
public enum Endpoints {
    public static let all: [Endpoint] = [
        RestAPI.statusEndpoints, RestAPI.nodeEndpoints, RestAPI.channelEndpoints, RestAPI.messageEndpoints,
        RestAPI.resendEndpoints,
        RestAPI.documentationEndpoints, RestAPI.actionEndpoints, RestAPI.deviceEndpoints, RestAPI.nodeMarkEndpoints,
        RestAPI.messageUpkeepEndpoints, RestAPI.nodeDeletionEndpoints, RestAPI.sessionEndpoints,
        RestAPI.telemetryEndpoints,
        RestAPI.positionHistoryEndpoints, RestAPI.solarEndpoints, RestAPI.metricsEndpoints,
        RestAPI.telemetryChartEndpoints, RestAPI.tracerouteEndpoints, RestAPI.networkEndpoints, RestAPI.packetEndpoints,
        RestAPI.neighborEndpoints, RestAPI.copyEndpoints, RestAPI.enrichmentEndpoints, RestAPI.unifiedEndpoints,
        RestAPI.sourceEndpoints, RestAPI.nodeListEndpoints, RestAPI.channelDatabaseEndpoints,
        RestAPI.waypointEndpoints, RestAPI.ownActionEndpoints, RestAPI.insightEndpoints, RestAPI.tokenEndpoints,
        RestAPI.newTokenEndpoints,
        RestAPI.ownNodeEndpoints,
        RestAPI.conversationEndpoints, RestAPI.eventEndpoints, RestAPI.codeEndpoints, RestAPI.sharedPortEndpoints,
        RestAPI.notificationEndpoints, RestAPI.linkSessionEndpoints, RestAPI.ruleEndpoints,
        RestAPI.targetEndpoints, RestAPI.pushEndpoints,
        RestAPI.brokerEndpoints, RestAPI.brokerConversationEndpoints, RestAPI.radioSettingsEndpoints,
        RestAPI.radioChangeEndpoints,
    ].flatMap { $0 }
}
