import Store
import Synchronization

// Which source a request is about.

extension API {
    /// The source of an endpoint that has one: the oldest enabled one, or any by its UUID (Contract 2.3).
    ///
    /// Tokens are for all sources here, so that a token without the permission is told which one it lacks, whatever name
    /// the source goes by; upstream answers 404 below `default`, which clients take for a missing feature.
    func source(_ name: String?, _ caller: Caller, _ endpoint: Endpoint) throws(APIError) -> FoundSource {
        let found = try source(name, asCommitted: endpoint.leavesGroupOpen)
        if let permission = endpoint.permission, !caller.scopes.allows(permission) {
            throw .insufficient(
                "Insufficient permissions for this source", resource: permission.resource.name,
                action: permission.action, source: found.source.uuid)
        }
        if case .everything = endpoint.access, caller.scopes != .admin { throw .notAdmin(source: found.source.uuid) }
        return found
    }

    /// - Parameters:
    ///   - name: a UUID; `default` and nil are the oldest enabled source.
    ///   - asCommitted: some seconds ago it may be; what waits for its group goes on waiting.
    public func source(_ name: String?, asCommitted: Bool = false) throws(APIError) -> FoundSource {
        let sources = try knownSources.all(of: store, asCommitted: asCommitted)
        if let name, Router.lowercased(name) != "default" {
            guard let found = sources.first(where: { $0.source.uuid == name }) else {
                throw .notFound("Source \(name) not found")
            }
            return found
        }
        guard let found = sources.preferred else {
            throw .notFound(
                "No source found that this token has permission to access. Configure a source and/or grant permissions."
            )
        }
        return found
    }
}

/// The sources, kept until the store's change: every request asks for one.
public final class KnownSources: Sendable {
    private struct State {
        var revision: UInt64?
        /// Oldest first.
        var sources: [FoundSource] = []
    }

    private let state = Mutex(State())

    public func all(of store: Store, asCommitted: Bool = false) throws(APIError) -> [FoundSource] {
        let revision = asCommitted ? store.committedRevision(.sources) : store.revision(.sources)
        if let known = state.withLock({ $0.revision == revision ? $0.sources : nil }) { return known }
        let sources: [FoundSource]
        do {
            sources =
                asCommitted
                ? try store.readCommitted { try $0.sources() } : try store.read { try $0.sources() }
        } catch {
            throw .failed("Failed to retrieve sources")
        }
        state.withLock { $0 = State(revision: revision, sources: sources) }
        return sources
    }
}

extension Reader {
    /// Oldest first.
    public func enabledSources() throws -> [FoundSource] { try sources().filter { $0.source.isEnabled } }
}
