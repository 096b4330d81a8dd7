import Foundation
import Routes
import Testing

@testable import RestAPI

@Suite struct ATokenIsToldWhatItMay {
    private func me(_ test: TestGateway, _ scopes: [String]) throws -> (token: NSDictionary, sources: [NSDictionary]) {
        let data = try test.ask("GET", "/api/v1/me", as: test.token(scopes)).data
        return (
            try #require(data["token"] as? NSDictionary), try #require(data["sources"] as? [NSDictionary])
        )
    }

    @Test func eachRightByItsName() throws {
        let test = try TestGateway()
        let (token, _) = try me(test, ["nodes:read", "channel_3:write"])
        #expect(token["scopes"] as? [String] == ["nodes:read", "channel_3:write"])
        #expect(token["permissions"] as? [String] == ["nodes:read", "channel_3:write"])
        #expect((token["gap"] as? String)?.contains("channels:viewOnMap") == true)
        let all = try me(test, ["admin"]).token
        #expect(all["scopes"] as? [String] == ["admin"])
        #expect(Set(all["permissions"] as? [String] ?? []) == Set(Permission.all.map(\.description)))
        #expect(all["gap"] is NSNull)
    }

    @Test func theRadiosThatItSees() throws {
        let test = try TestGateway()
        let reader = try #require(try me(test, ["read"]).sources.first)
        #expect(reader["id"] as? String == test.uuid)
        #expect(reader["connected"] as? Bool == false)
        #expect((reader["link"] as? NSDictionary)?["since"] is NSNumber)
        // How a radio does is not for every token, and which ones there are is not for those that may read nothing of them.
        let narrow = try #require(try me(test, ["nodes:read"]).sources.first)
        #expect(Set(narrow.allKeys.compactMap { $0 as? String }) == ["id", "name", "signal"])
        #expect(try me(test, ["info:read"]).sources.isEmpty)
    }
}
