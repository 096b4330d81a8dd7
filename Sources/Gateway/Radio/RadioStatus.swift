import MeshModel
import MeshProtocol
import RadioLink

/// How a radio is doing.
public struct RadioStatus: Sendable {
    /// The transport is up: the port is open, or the connection stands.
    public var isConnected: Bool
    /// The radio has told who it is since the transport came up.
    public var isResponsive: Bool
    public var link: LinkState
    /// Host milliseconds since when ``link`` holds.
    public var since: Int64
    /// The radio restarts as it was told, and has been away for less than a minute.
    public var isRestarting: Bool
    /// What is wrong although the link works, such as an unset region.
    public var problems: [Problem]
    public var myInfo: MyNodeInfo?
    public var firmwareVersion: String?
    public var lora: LoRaSettings?
    /// What the radio says that it allows (firmware 2.8).
    public var allowedPresets: AllowedPresets?
    /// Nothing goes on the air: the transmitter is off and the radio does not send over the network instead.
    public var txDisabled: Bool
    /// Own packets that wait for the radio.
    public var queued: Int
    /// The setting of the link; nil: no link feeds the source.
    public var device: String?
    /// While it is connected: the path of its port, or its address.
    public var port: String?
    /// How the radio calls itself while it is connected.
    public var longName: String?

    public init(
        isConnected: Bool, isResponsive: Bool, link: LinkState, since: Int64, isRestarting: Bool = false,
        problems: [Problem] = [], myInfo: MyNodeInfo? = nil, firmwareVersion: String? = nil, lora: LoRaSettings? = nil,
        allowedPresets: AllowedPresets? = nil, txDisabled: Bool = false, queued: Int = 0,
        device: String? = nil, port: String? = nil, longName: String? = nil
    ) {
        self.isConnected = isConnected
        self.isResponsive = isResponsive
        self.link = link
        self.since = since
        self.isRestarting = isRestarting
        self.problems = problems
        self.myInfo = myInfo
        self.firmwareVersion = firmwareVersion
        self.lora = lora
        self.allowedPresets = allowedPresets
        self.txDisabled = txDisabled
        self.queued = queued
        self.device = device
        self.port = port
        self.longName = longName
    }
}

/// What a radio fresh from the shop still needs before it is of use. Kept in this order, as they are asked for.
public enum SetupStep: String, CaseIterable, Sendable {
    /// Without one it neither sends nor receives.
    case region
    /// It still has the factory's.
    case name
}

extension RadioStatus {
    /// The steps that are open; none while the radio is away, because nothing can be done about them then.
    public var setup: [SetupStep] {
        SetupStep.allCases.filter { step in
            switch step {
            case .region: lora?.region == 0
            case .name: longName.map(Self.isOfFactory) ?? false
            }
        }
    }

    /// The firmware's own: `Meshtastic` and the last four digits of the number that it had then.
    private static func isOfFactory(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[0] == "Meshtastic" && words[1].utf8.count == 4
            && words[1].utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}
