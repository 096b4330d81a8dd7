import MeshProtocol
import Testing

@Suite struct SecretsAreBlankedWithTheirLengthKept {
    /// raw; as a recording has it
    @Test(arguments: [
        // config { security { public_key, private_key, serial_enabled } }
        ("2a 0e 42 0c 0a 02 aa bb 12 04 de ad be ef 28 01", "2a 0e 42 0c 0a 02 aa bb 12 04 00 00 00 00 28 01"),
        // an overlong spelling of the key's length stays as it is
        ("2a 09 42 07 12 83 00 de ad be 28", nil),
        ("2a 0a 42 08 12 83 00 de ad be 28 01", "2a 0a 42 08 12 83 00 00 00 00 28 01"),
        // config { network { wifi_ssid, wifi_psk } }
        ("2a 08 22 06 1a 01 61 22 01 62", "2a 08 22 06 1a 01 61 22 01 00"),
        // config { bluetooth { mode, fixed_pin 123456 } }
        ("2a 08 3a 06 10 01 18 c0 c4 07", "2a 08 3a 06 10 01 18 80 80 00"),
        // moduleConfig { mqtt { username, password } }
        ("4a 08 0a 06 1a 01 61 22 01 62", "4a 08 0a 06 1a 01 61 22 01 00"),
        // channel { index 1, settings { psk of 4 bytes, name } }; a key of one byte is only a well-known one's number
        ("52 0d 08 01 12 09 12 04 de ad be ef 1a 01 61", "52 0d 08 01 12 09 12 04 00 00 00 00 1a 01 61"),
        ("52 05 12 03 12 01 01", "52 05 12 03 12 01 01"),
        // xmodemPacket { buffer }: a piece of a file of the radio
        ("62 04 22 02 de ad", "62 04 22 02 00 00"),
        // deviceuiConfig { pin_code 1234 }
        ("8a 01 03 30 d2 09", "8a 01 03 30 80 00"),
        // packet { decoded { portnum ADMIN, payload } }: a channel, the session passkey
        ("12 0e 22 0c 08 06 12 08 12 06 12 04 12 02 de ad", "12 0e 22 0c 08 06 12 08 12 06 12 04 12 02 00 00"),
        ("12 0b 22 09 08 06 12 05 aa 06 02 de ad", "12 0b 22 09 08 06 12 05 aa 06 02 00 00"),
        // the same bytes as the text of a message stay
        ("12 0b 22 09 08 01 12 05 aa 06 02 de ad", "12 0b 22 09 08 01 12 05 aa 06 02 de ad"),
        ("40 01", "40 01"), ("", ""),
    ])
    func fromRadio(_ raw: String, _ blanked: String?) {
        #expect(Redaction.blankedFromRadio(bytes(raw)) == blanked.map { bytes($0) })
    }

    @Test(arguments: [
        // packet { decoded { portnum ADMIN, payload: set_config { network { wifi_psk } } } }
        ("0a 0c 22 0a 08 06 12 06 92 02 03 22 01 62", nil),
        ("0a 0e 22 0c 08 06 12 08 92 02 05 22 03 22 01 62", "0a 0e 22 0c 08 06 12 08 92 02 05 22 03 22 01 00"),
        // set_channel { settings { psk } }, lockdown_auth { passphrase }
        ("0a 0f 22 0d 08 06 12 09 8a 02 06 12 04 12 02 de ad", "0a 0f 22 0d 08 06 12 09 8a 02 06 12 04 12 02 00 00"),
        ("0a 0d 22 0b 08 06 12 07 c2 06 04 0a 02 de ad", "0a 0d 22 0b 08 06 12 07 c2 06 04 0a 02 00 00"),
        ("18 07", "18 07"),
    ])
    func toRadio(_ raw: String, _ blanked: String?) {
        #expect(Redaction.blankedToRadio(bytes(raw)) == blanked.map { bytes($0) })
    }
}

@Test(arguments: [
    (RecordedStream.Entry(time: 0, kind: .beginning), 1_763_764_000_123 as Int64?),
    (RecordedStream.Entry(time: 12.000_001, kind: .received([0x94, 0xC3, 0, 2, 0x40, 1])), nil),
    (RecordedStream.Entry(time: 3_600.5, kind: .sent([])), nil),
    (RecordedStream.Entry(time: 1, kind: .event("port open (\"/dev/tty\\\u{1}ü\")")), nil),
])
func aWrittenLineIsRead(_ entry: RecordedStream.Entry, _ at: Int64?) throws {
    let stream = try RecordedStream(entry.line(at: at))
    #expect(stream.entries == [entry])
    #expect(stream.startedAt == at)
}
