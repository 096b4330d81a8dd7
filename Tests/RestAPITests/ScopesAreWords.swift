import Testing

@testable import RestAPI
@testable import Routes

@Suite struct ScopesAreWords {
    /// scopes as given, and the shortest list that means the same
    @Test(
        arguments: [
            ([], ["read", "send"]), (["send", "read"], ["read", "send"]), (["admin"], ["admin"]),
            (["admin", "nodes:read"], ["admin"]), (["nodes:read"], ["nodes:read"]),
            (["nodes:read", "nodes:read"], ["nodes:read"]),
            // Who reads a channel sees it on the map.
            (["channel_3:read", "channel_3:viewOnMap"], ["channel_3:read"]),
            (["read", "messages:read"], ["read"]), (["read", "configuration:write"], ["read", "configuration:write"]),
            (["read", "channel_database:read"], ["read", "channel_database:read"]),
            // Who writes the channel database reads it.
            (["channel_database:write"], ["channel_database:write"]),
            (["read", "channel_database:read", "channel_database:write"], ["read", "channel_database:write"]),
            (["channels:write", "messages:write", "traceroute:write"], ["send"]),
            (["nodes:read", "channels:viewOnMap"], ["channels:viewOnMap", "nodes:read"]),
            (["channels:read", "channels:viewOnMap"], ["channels:read"]), (["read", "channels:read"], ["read"]),
        ] as [([String], [String])])
    func list(_ given: [String], _ shortest: [String]) throws {
        let scopes = try Scopes(parsing: given)
        #expect(scopes.list == shortest)
        #expect(try Scopes(parsing: shortest) == scopes)
        #expect(Scopes(stored: scopes.stored) == scopes)
    }

    @Test func eachKnownScopeIsUnderstood() throws {
        for scope in Scopes.known {
            #expect(try Scopes(parsing: [scope]) != .none)
        }
    }

    @Test(arguments: ["", "Nodes:read", "nodes", "nodes:viewOnMap", "info:write", "channel_8:read", "channels:", "*"])
    func unknown(_ scope: String) {
        #expect(throws: Scopes.Unknown(scope: scope)) { try Scopes(parsing: ["read", scope]) }
    }

    @Test func whatReadAndSendMean() {
        for permission in Permission.all {
            let isRead = permission.action != .write && permission.resource != .channelDatabase
            #expect(Scopes.read.allows(permission) == isRead, "\(permission)")
        }
        for scope in ["nodes:write", "configuration:write", "channel_database:write", "channel_database:read"] {
            let permission = Permission.all.first { $0.description == scope }
            #expect(permission.map { Scopes.standard.allows($0) } == false, "\(scope)")
        }
    }

    /// What a newer version may have written grants nothing, and takes nothing away.
    @Test func anUnknownStoredScopeGrantsNothing() {
        #expect(Scopes(stored: "future:read") == .none)
        #expect(Scopes(stored: "future:read,nodes:read").list == ["nodes:read"])
        #expect(Scopes(stored: "") == .standard)
    }

    /// scopes -> a word of the advice; nil: they are of use
    @Test(
        arguments: [
            ([], nil), (["admin"], nil), (["read"], nil), (["info:read"], nil), (["channel_database:read"], nil),
            (["nodes:read"], "channels:viewOnMap"), (["nodes:read", "channel_2:viewOnMap"], nil),
            (["nodes:read", "channel_2:write", "messages:read"], "channels:viewOnMap"), (["send"], "messages:read"),
            (["messages:write"], "messages:read"), (["messages:read"], "direct messages only"),
            (["messages:read", "channel_0:viewOnMap"], "direct messages only"),
            (["messages:read", "channel_0:read"], nil), (["channels:read"], "--scope messages:read or"),
            (["channels:read", "nodes:read"], nil), (["channels:read", "packetmonitor:read"], nil),
            (["notifications:read"], "--scope info:read"), (["notifications:read", "info:read"], nil),
        ] as [([String], String?)])
    func gaps(_ given: [String], _ advice: String?) throws {
        let gap = try Scopes(parsing: given).gap
        #expect((gap == nil) == (advice == nil), "\(gap ?? "")")
        if let advice { #expect(gap?.contains(advice) == true, "\(gap ?? "")") }
    }
}
