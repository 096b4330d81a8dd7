import JSON

// What announces a shared radio in the network, as a radio in a WLAN announces itself: a static service of Avahi
// (avahi.service(5)) of the type `_meshtastic._tcp`, with short name and id in its TXT record. Android's app shows both,
// Apple's the short name and the id's end, and an empty name where both are missing.

/// The service file of a shared radio.
struct ServiceFile {
    static let folder = "/etc/avahi/services"
    static let name = "mesh-gateway-radio.service"

    let text: String

    /// - Parameter source: of the status page, with everything that is shared of it.
    /// - Returns: nil: its radio is not known yet, or not shared beyond this computer.
    init?(_ source: JSONValue) {
        guard let id = source["nodeId"]?.string, let port = Self.port(source) else { return nil }
        let name = Self.harmless(source["shortName"]?.string ?? "", longest: 40)
        // Another name than "Meshtastic", which a radio in the WLAN has.
        text = """
            <?xml version="1.0" standalone="no"?>
            <!DOCTYPE service-group SYSTEM "avahi-service.dtd">
            <!-- Written by mesh-gateway share avahi; write it again when the radio's short name or the port changes. -->
            <service-group>
              <name>\(Self.escaped("mesh-gateway \(name)"))</name>
              <service>
                <type>_meshtastic._tcp</type>
                <port>\(port)</port>
                <txt-record>shortname=\(Self.escaped(name))</txt-record>
                <txt-record>id=\(Self.escaped(Self.harmless(id, longest: 40)))</txt-record>
              </service>
            </service-group>

            """
    }

    /// The port that most people want: one where texts can be sent, without the settings.
    private static func port(_ source: JSONValue) -> UInt16? {
        let open = (source["shares"]?.array ?? []).filter { share in
            let address = share["address"]?.string ?? ""
            return !address.hasPrefix("127.") && !address.hasPrefix("[::1]")
        }
        let wanted = open.first { $0["right"]?.string == "send" } ?? open.first
        return wanted?["address"]?.string?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// Names come from the person who has set up the radio. Characters that XML cannot hold are left out; and an instance name
    /// has 63 bytes (RFC 6763, 4.1.1).
    private static func harmless(_ text: String, longest: Int) -> String {
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        var text = String(String.UnicodeScalarView(scalars))
        while text.utf8.count > longest { text.removeLast() }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
