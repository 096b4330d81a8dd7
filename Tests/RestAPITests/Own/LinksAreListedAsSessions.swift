import Foundation
import MeshModel
import Platform
import Routes
import Store
import Testing

@testable import Gateway
@testable import RestAPI

/// Sessions are made of the journal: each link from its first word to its end, whoever ended it.
@Suite struct LinksAreListedAsSessions {
    private let test: TestGateway
    private let other: SourceID

    init() throws {
        test = try TestGateway()
        other = try test.store.commit { writer in
            try writer.insert(Source(uuid: FilledGateway.hill, name: "Hill", isEnabled: true, createdAt: 500))
        }
    }

    /// A row each: the kind, of which source, and for a link its state; at its place in seconds.
    private func happen(_ rows: [(Happening.Kind, SourceID?, String?)]) throws {
        try test.store.commit { writer in
            for (number, row) in rows.enumerated() {
                try writer.insert(
                    Happening(
                        row.0, at: Int64(number + 1) * 1000, source: row.1, name: row.2,
                        text: row.2.map { "\($0) text" }))
            }
        }
    }

    private func sessions(_ query: String = "", as token: APIToken? = nil) throws -> [NSDictionary] {
        let path = query.hasPrefix("/") ? query : "/sessions" + query
        let answer = try test.ask("GET", "/api/v1" + path, as: token ?? test.token)
        return (try answer.json["sessions"] as? [NSDictionary]) ?? []
    }

    private func shape(_ sessions: [NSDictionary]) -> [String] {
        sessions.map { row in
            let device = row["device_id"] as? String == test.uuid ? "first" : "hill"
            let number = (row["session_id"] as? String)?.split(separator: ".").last ?? ""
            return "\(device) \(number) \(row["status"] ?? "")"
        }
    }

    @Test func fromItsFirstWordToItsEnd() throws {
        let first = test.id
        try happen([
            (.started, nil, nil), (.link, first, "live"), (.link, other, "live"), (.problem, first, "queue-full"),
            (.link, first, "lost"), (.link, first, "live"),
            // The gateway was killed: nobody said that the links ended.
            (.started, nil, nil), (.link, other, "live"), (.link, other, "stopped"), (.stopped, nil, nil),
            (.started, nil, nil), (.link, first, "live"), (.notice, first, nil),
        ])
        #expect(
            shape(try sessions()) == [
                "first 12 idle", "hill 8 ended", "first 6 ended", "hill 3 ended", "first 2 ended",
            ])
        #expect(shape(try sessions("/devices/\(FilledGateway.hill)/sessions")) == ["hill 8 ended", "hill 3 ended"])
        #expect(shape(try sessions("?source=\(FilledGateway.hill)&status=ended&limit=1")) == ["hill 8 ended"])
        #expect(shape(try sessions("?exclude_ended=true")) == ["first 12 idle"])
        #expect(shape(try sessions("?limit=2&offset=1")) == ["hill 8 ended", "first 6 ended"])
        let page = try test.get("/api/v1/sessions?limit=2&offset=1").json
        #expect(page["has_more"] as? Bool == true && page["next_offset"] as? Int == 3)
        let last = try sessions().map { $0["last_event"] as? String ?? "" }.map { $0.dropFirst(17).prefix(2) }
        #expect(last == ["12", "09", "06", "03", "05"])
    }

    private func events(_ number: Int, of uuid: String, as token: APIToken? = nil) throws -> [Int] {
        let answer = try test.ask("GET", "/api/v1/sessions/\(uuid).\(number)/events", as: token ?? test.token)
        return (try answer.json["events"] as? [NSDictionary])?.compactMap { $0["id"] as? Int } ?? []
    }

    @Test func itsEventsAreWhatHappenedToItAndToTheGateway() throws {
        let first = test.id
        try happen([
            (.problem, first, "no-radio"), (.link, first, "live"), (.link, other, "live"), (.disk, nil, "disk-failing"),
            (.problem, other, "queue-full"), (.link, first, "lost"), (.restart, first, nil), (.link, first, "live"),
        ])
        #expect(try events(0, of: test.uuid) == [1])
        #expect(try events(2, of: test.uuid) == [6, 4, 2])
        #expect(try events(3, of: FilledGateway.hill) == [5, 4, 3])
        #expect(try events(8, of: test.uuid) == [8])
        for wrong in [
            "\(test.uuid).3", "\(test.uuid).6", "\(test.uuid).-1", "\(test.uuid).99", test.uuid, "x.1",
            "\(test.uuid).1e3", ".", "\(FilledGateway.hill).2",
        ] {
            #expect(try test.get("/api/v1/sessions/\(wrong)/events").status == 404, "\(wrong)")
        }
        #expect(try test.get("/api/v1/devices/none/sessions").status == 404)
        #expect(try test.get("/api/v1/sessions?status=asleep").status == 400)
    }

    @Test func whatItWaitsForAndThatItIsSilentIsItsStatus() throws {
        let (first, now) = (test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            try writer.insert(Happening(.link, at: now - 3_600_000, source: first, name: "live"))
            let packet = MeshPacket(from: TestGateway.peer, to: .broadcast, id: 1, payload: .encrypted([1]))
            try writer.logPacket(packet, direction: .rx, in: first, at: now - 1_000_000)
        }
        #expect(shape(try sessions()) == ["first 1 idle"])
        // When something was heard is for those who may know of all that is heard.
        #expect(shape(try sessions(as: test.token(["info:read"]))) == ["first 1 active"])
        try test.store.commit { writer in
            let packet = MeshPacket(from: TestGateway.peer, to: .broadcast, id: 2, payload: .encrypted([1]))
            try writer.logPacket(packet, direction: .rx, in: first, at: now)
        }
        #expect(shape(try sessions()) == ["first 1 active"])
        try test.update(TestGateway.peer) { $0.announcedKey = PublicKey([UInt8](1...32)) }
        #expect(shape(try sessions()) == ["first 1 waiting_for_input"])
        try test.store.commit { try $0.insert(Happening(.link, at: now, source: first, name: "lost")) }
        #expect(shape(try sessions()) == ["first 1 ended"])
    }

    @Test func devicesAreListedByWhenTheyWereSeen() throws {
        let first = test.id
        try happen([(.link, other, "live"), (.link, other, "lost"), (.link, first, "live")])
        let devices = try #require(try test.get("/api/v1/devices").json["devices"] as? [NSDictionary])
        #expect(devices.count == 2)
        let hill = try #require(devices.first { $0["device_id"] as? String == FilledGateway.hill })
        #expect(hill["last_seen"] as? String == "1970-01-01T00:00:02.000Z" && hill["active_sessions"] as? Int == 0)
        #expect(hill["first_seen"] as? String == "1970-01-01T00:00:00.500Z" && hill["device_name"] as? String == "Hill")
        #expect(devices.first?["device_id"] as? String == test.uuid && devices[0]["active_sessions"] as? Int == 1)
        let one = try test.get("/api/v1/devices?source=\(FilledGateway.hill)").json["devices"] as? [NSDictionary]
        #expect(one?.count == 1)
        #expect(try test.get("/api/v1/devices?source=none").status == 404)
    }

    /// A plug that was loose for weeks.
    @Test func thousandsOfThem() throws {
        let first = test.id
        try test.store.commit { writer in
            for number in 0..<3_000 as Range<Int64> {
                // An hour apart, so that each has a row.
                let name = number % 2 == 0 ? "live" : "lost"
                try writer.insert(Happening(.link, at: number * 3_600_000, source: first, name: name))
            }
        }
        var (offset, ids): (Int, [String]) = (0, [])
        while true {
            let page = try test.get("/api/v1/sessions?limit=200&offset=\(offset)").json
            ids += (page["sessions"] as? [NSDictionary])?.compactMap { $0["session_id"] as? String } ?? []
            guard page["has_more"] as? Bool == true else { break }
            offset = try #require(page["next_offset"] as? Int)
        }
        #expect(ids.count == 1_500 && Set(ids).count == 1_500)
        #expect(try events(1, of: test.uuid) == [2, 1])
    }
}
