/// Everything that the API answers. Each resource lists its own in its file.
enum Endpoints {
    static let all: [Endpoint] = [
        RestAPI.statusEndpoints, RestAPI.nodeEndpoints, RestAPI.channelEndpoints, RestAPI.messageEndpoints,
        RestAPI.documentationEndpoints, RestAPI.localEndpoints,
    ].flatMap { $0 }

    static let router = Router(all)
}
