import Foundation
import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// What a radio keeps besides its settings: a fixed position, canned messages and a ringtone.
@Suite struct ARadioIsToldWhereItIs {
    private func isFixed(_ house: House) throws -> SettingValue? {
        let name = try #require(SettingsName("position"))
        return try house.gateway.settings(name, of: house.source)["position.fixed_position"]
    }

    private func eventually(_ isSo: () throws -> Bool) throws {
        let limit = Date(timeIntervalSinceNow: 60)
        while try !isSo(), limit.timeIntervalSinceNow > 0 { usleep(20_000) }
        #expect(try isSo())
    }

    @Test func andThatItGoesByItsGPSAgain() throws {
        let house = try House(right: .admin)
        let place = try #require(FixedPlace(latitude: 47.2692, longitude: -11.4041, altitude: 574))
        #expect(try isFixed(house) == .flag(false))
        try house.gateway.fixPosition(place, of: house.source)
        #expect(try isFixed(house) == .flag(true))
        // Its own row has the exact place as soon as it has been read again.
        try eventually {
            let own = try house.store.read { try $0.node(house.radio.number, in: house.source) }
            return own?.latitude == 47.2692 && own?.longitude == -11.4041 && own?.altitude == 574
        }
        try house.gateway.fixPosition(nil, of: house.source)
        #expect(try isFixed(house) == .flag(false))
    }

    @Test func itsTextsAreReadAndWritten() throws {
        let house = try House(right: .admin)
        let radio = try #require(house.gateway.radioFeeding(house.source))
        for text in RadioText.allCases {
            #expect(try radio.text(text, of: house.source)?.isEmpty == false)
            try radio.tell(.setText(text, "Grüße|Ja"), of: house.source)
            #expect(try radio.text(text, of: house.source) == "Grüße|Ja")
        }
        try radio.tell(.setText(.ringtone, ""), of: house.source)
        #expect(try radio.text(.ringtone, of: house.source) == "")
    }

    /// degrees north and east, metres: whether there is such a place
    static let places: [(Double, Double, Int?, Bool)] = [
        (90, 180, nil, true), (-90, -180, -10, true), (0, 0.0000001, 0, true), (0, 0, 5, false),
        (0.00000001, 0, nil, false), (90.1, 0, nil, false), (0, -180.1, nil, false), (.nan, 1, nil, false),
        (1, .infinity, nil, false), (1, 1, 100_001, false), (1, 1, .max, false),
    ]

    @Test(arguments: places) func whatIsAPlace(_ latitude: Double, _ longitude: Double, _ altitude: Int?, _ isOne: Bool)
    {
        #expect((FixedPlace(latitude: latitude, longitude: longitude, altitude: altitude) != nil) == isOne)
    }
}
