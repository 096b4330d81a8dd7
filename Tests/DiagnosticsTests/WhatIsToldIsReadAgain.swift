import JSON
import Testing

@testable import Diagnostics

/// `diagnosis/1` as the gateway gives it to the doctor and into a bug report: one page with all that there can be, one with
/// what is unknown.
private let pages = [
    #"{"database":{"usedBytes":80000000,"limitBytes":200000000,"journalMode":"wal","#
        + #""failingSince":"2026-11-21T11:00:00.000Z","lastError":"disk \"full\"","#
        + #""lastErrorAt":"2026-11-21T11:59:59.999Z","droppedChanges":7},"#
        + #""tokens":{"active":2,"expired":1,"nextName":"map","nextExpiry":"2026-12-01T00:00:00.000Z"},"#
        + #""radios":[{"id":"9d0fdaff-d37b-43d9-b5dc-0a84e8a63ecc","device":"auto","nodeId":"!6b4acba0","state":"live","#
        + #""since":"2026-11-21T10:00:00.000Z","problems":[{"name":"region-unset","advice":"Set it."}],"#
        + #""traffic":{"bytes":6766,"frames":84,"textBytes":12,"garbageBytes":3,"connections":1},"#
        + #""firmware":"2.8.0.5eed001","region":3,"regionName":"EU_868","transmitterOff":false,"logsInFrames":true,"#
        + #""storeForwardServer":false,"lastPacket":"2026-11-21T11:58:00.000Z","clockAhead":-4,"clockUnset":false,"#
        + #""channelUtilization":8.5,"airUtilization":1.2,"utilizationAt":"2026-11-21T11:57:00.000Z","nodes":25,"#
        + #""weakKeys":{"count":30,"ids":["!0000000a","!0000000b"]},"ownKeyWeak":true,"#
        + #""sharedKeys":{"count":1,"ids":["!0000000c"]},"ownKeyShared":true,"#
        + #""doubtedKeys":{"count":1,"ids":["!0000000d"]},"missingFavorites":{"count":1,"ids":["!0000000e"]},"#
        + #""renumberedNodes":{"count":1,"ids":["!0000000a !0000000b"]},"quietNodes":{"count":0,"ids":[]},"#
        + #""heardNodes":9,"outbox":{"count":3,"held":1,"oldest":"2026-11-21T11:30:00.000Z"}}],"#
        + #""shares":[{"address":"*:4403","problem":null},{"address":"*:4404","problem":"It is taken."}]}"#,
    #"{"database":{"usedBytes":null,"limitBytes":null,"journalMode":null,"failingSince":null,"lastError":null,"#
        + #""lastErrorAt":null,"droppedChanges":null},"#
        + #""tokens":{"active":0,"expired":0,"nextName":null,"nextExpiry":null},"#
        + #""radios":[{"id":null,"device":null,"nodeId":null,"state":null,"since":null,"problems":[],"traffic":null,"#
        + #""firmware":null,"region":null,"regionName":null,"transmitterOff":null,"logsInFrames":null,"#
        + #""storeForwardServer":null,"lastPacket":null,"clockAhead":null,"clockUnset":null,"#
        + #""channelUtilization":null,"airUtilization":null,"utilizationAt":null,"nodes":0,"#
        + #""weakKeys":{"count":0,"ids":[]},"ownKeyWeak":false,"sharedKeys":{"count":0,"ids":[]},"#
        + #""ownKeyShared":false,"doubtedKeys":{"count":0,"ids":[]},"missingFavorites":{"count":0,"ids":[]},"#
        + #""renumberedNodes":{"count":0,"ids":[]},"quietNodes":{"count":0,"ids":[]},"heardNodes":0,"#
        + #""outbox":{"count":0,"held":0,"oldest":null}}],"shares":null}"#,
]

@Test(arguments: pages) func whatIsToldIsReadAgain(_ page: String) throws {
    var facts = Facts(version: "0.1.0", now: HealthyBox.now)
    #expect(facts.read(try #require(JSONValue(Array(page.utf8)))))
    var json = JSONWriter()
    json.object { facts.write(&$0) }
    #expect(String(decoding: json.bytes, as: UTF8.self) == page)
}

/// What another version says otherwise, or not at all, is unknown.
@Test func whatCannotBeReadIsUnknown() throws {
    var facts = Facts(version: "0.1.0", now: HealthyBox.now)
    #expect(!facts.read(try #require(JSONValue(Array(#"{"data":[]}"#.utf8)))))
    let page = #"{"radios":[{"nodeId":7,"since":"once","region":-1,"nodes":"many","traffic":{"bytes":-5}}],"shares":0}"#
    #expect(facts.read(try #require(JSONValue(Array(page.utf8)))))
    guard case .known(let radios) = facts.mesh, let radio = radios.first else {
        Issue.record("There is no radio.")
        return
    }
    #expect(radio.nodeID == nil && radio.since == nil && radio.region == nil && radio.nodes == 0)
    #expect(radio.traffic == .init(bytes: 0, text: 0, garbage: 0))
    #expect(facts.share.standings == nil && facts.database.tokens == nil)
}
