import Routes

// `mesh-gateway target`: where notifications go, and whether they arrive.

extension ControlAPI {
    static let targetPages: [LocalPage] = [
        LocalPage("/local/targets", "targets/1", of: \.targets),
        LocalPage(oneOf: "/local/targets/{name}", "targets/1", of: \.targets),
    ]

    static let targetEndpoints: [Endpoint] = [
        .local(.post, "/local/targets/reload") { api in
            { call throws(APIError) in try api.reload(api.targets, "sends anything", "targets/1", call) }
        },
        // One is on its way; the page of the target says what became of it.
        .local(.post, "/local/targets/{name}/test") { api in
            { call throws(APIError) in try api.test(api.targets, "sends anything", "targets/1", call) }
        },
    ]
}
