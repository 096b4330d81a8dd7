extension EnumNames {
    /// A hardware model as its maker writes it: "Heltec V3" for `HELTEC_V3`, "T-Beam" for `TBEAM`. nil for a number that this
    /// version of the protocol does not have, and for those that stand for no model.
    public static func hardwareWords(_ number: UInt32) -> String? {
        guard number != 0, let name = hardwareModel(number) else { return nil }
        var (words, rest) = ([String](), name.split(separator: "_")[...])
        while let word = rest.popFirst() {
            // "T_DECK" is the T-Deck, "V2_1" version 2.1.
            if word == "T", let next = rest.popFirst() {
                words.append("T-\(spelled(next))")
            } else if isVersion(word), let minor = rest.first, minor.allSatisfy(\.isNumber), minor.utf8.count == 1 {
                words.append("\(word).\(minor)")
                rest.removeFirst()
            } else {
                words.append(spelled(word))
            }
        }
        return words.joined(separator: " ")
    }

    private static func isVersion(_ word: Substring) -> Bool {
        word.first == "V" && word.utf8.count == 2 && word.dropFirst().allSatisfy(\.isNumber)
    }

    /// A word with a digit is a number of a model and stays as it is.
    private static func spelled(_ word: Substring) -> String {
        if let known = spellings[word] { return known }
        if word.contains(where: \.isNumber) || word.utf8.count < 3 { return String(word) }
        return word.prefix(1) + word.dropFirst().lowercased()
    }

    private static let spellings: [Substring: String] = [
        "TBEAM": "T-Beam", "TLORA": "T-LoRa", "TDISPLAY": "T-Display", "LORA": "LoRa", "LORAC": "LoRaC",
        "RPI": "Raspberry Pi",
        "PICO2": "Pico 2", "M5STACK": "M5Stack", "LILYGO": "LilyGo", "SENSECAP": "SenseCAP", "THINKNODE": "ThinkNode",
        "WISMESH": "WisMesh", "WIPHONE": "WiPhone", "BETAFPV": "BetaFPV", "RADIOMASTER": "RadioMaster", "XIAO": "XIAO",
        "UNPHONE": "unPhone", "CANARYONE": "CanaryOne", "DIY": "DIY", "PPR": "PPR", "WSL": "WSL", "HRU": "HRU",
        "TWC": "TWC",
        "BPF": "BPF", "ESP32": "ESP32", "EINK": "E-Ink", "EPAPER": "E-Paper", "COREBASIC": "Core Basic",
        "CORES3": "CoreS3",
        "CORE2": "Core2", "CARDPUTER": "Cardputer", "ADV": "Advanced", "CROWPANEL": "CrowPanel",
        "MESHSTICK": "MeshStick",
        "MESHLINK": "MeshLink", "PROMICRO": "ProMicro", "CDEBYTE": "CDEByte", "EBYTE": "EByte", "EORA": "EoRa",
        "NOMADSTAR": "NomadStar", "HW": "hardware", "MESHPAGER": "MeshPager", "ETH": "ETH", "SIM": "simulator",
        "TX": "TX",
    ]
}
