/// A device of Apple's, which is told through Apple's service (``AppleSettings``).
struct ApplePush: Receiver {
    static let word = "apns"
    static let allowance = Allowance.ofPhones
    /// The token says when it was made.
    static let needsTime = true

    let settings: AppleSettings
    let device: AppleDevice
    /// The one that was made already.
    let tokens: AppleTokens

    /// With other settings it may be taken what was refused.
    static func == (one: ApplePush, other: ApplePush) -> Bool {
        one.settings == other.settings && one.device == other.device
    }

    func hash(into hasher: inout Hasher) { hasher.combine(device) }

    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        guard let own = settings.request(for: told, device: device, tokens: tokens, at: now) else { return }
        request = own
    }

    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? {
        let answer = AppleAnswer(status: answer.status, body: answer.body)
        var meaning = answer.meaning(
            registeredAt: device.registeredAt, otherRefused: device.isOtherHost, isTokenNew: false)
        if meaning == .newToken, !tokens.refuse(for: settings) {
            meaning = answer.meaning(
                registeredAt: device.registeredAt, otherRefused: device.isOtherHost, isTokenNew: true)
        }
        return switch meaning {
        case .arrived: nil
        case .otherHost: .otherHost("its device token is not known there")
        case .gone(let why): .gone(why)
        case .tooLong: .tooLong("too long for Apple's service")
        case .newToken: .again("the token that says who sends was too old")
        case .again(let why): .again(why)
        case .mistake(let why): .explained(why)
        }
    }
}
