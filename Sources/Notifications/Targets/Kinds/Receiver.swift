import Folders

/// A kind of target: what it is sent, and what its answers mean. Those that people set up by a file are ``FileReceiver``s;
/// registrations (the folder `Push`) come from apps and browsers.
protocol Receiver: Hashable, Sendable {
    /// As in `kind = WORD`.
    static var word: String { get }
    /// It gets notifications; if not, it has none of the keys that are about them.
    static var isTold: Bool { get }
    /// How much it gets unless its file says more.
    static var allowance: Allowance { get }
    /// The receiver checks when a request was made: none leaves before this computer's clock is set.
    static var needsTime: Bool { get }

    /// Makes a request that tells this.
    ///
    /// - Parameter now: when this attempt is made, in host milliseconds.
    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64)

    /// What an answer means where this kind knows more than HTTP says.
    func meaning(of answer: HTTPAnswer) -> AnswerMeaning?

    /// It is called again and again while all is well: so often, in milliseconds.
    var every: Int64? { get }
}

/// A kind with the keys that its file has beside those of all. Each is a file in this folder and an entry in
/// ``Target/Kind/all``; nothing else knows its name.
protocol FileReceiver: Receiver {
    /// An address, for people who have written none.
    static var example: String { get }
    /// Keys of its file that not every kind has. A key that ends with `-file` names a file with secrets.
    static var keys: [String] { get }
    /// The secret that `target add` writes beside the file.
    static var secret: Target.Kind.Secret { get }

    /// Refuses an address that cannot be one of this kind's.
    static func check(_ address: WebAddress) throws(BadValue)

    /// Reads this kind's keys. A mistake in one of them goes to its line; what is thrown, to that of `url`.
    init(_ file: inout TargetFile.Reading) throws(BadValue)
}

/// An answer, as far as its receiver may look at it.
struct HTTPAnswer: Hashable, Sendable {
    var status: Int
    /// At most 64 kB.
    var body: [UInt8] = []
}

/// What an answer means, in words for people.
enum AnswerMeaning {
    /// It counts as its status says, and these words explain it.
    case explained(String)
    /// Nothing was delivered, whatever the status is. The words are the whole sentence.
    case refused(String)
    /// A part was delivered.
    case partly(String)
    /// Nobody will ever be there again.
    case gone(String)
    /// It is longer than it may be.
    case tooLong(String)
    /// Nobody has subscribed there yet.
    case unheard(String)
    /// It is to be tried again, whatever the status is.
    case again(String)
    /// Another host knows it, or none.
    case otherHost(String)
}

extension Receiver {
    static var isTold: Bool { true }
    static var allowance: Allowance { .unlimited }
    static var needsTime: Bool { false }
    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? { nil }
    var every: Int64? { nil }

    /// A protocol of equal things has no equality of its own.
    fileprivate func isEqual(to other: any Receiver) -> Bool { other as? Self == self }
}

extension FileReceiver {
    static var secret: Target.Kind.Secret { .none }
    static func check(_ address: WebAddress) throws(BadValue) {}
}

extension Target {
    /// One of the kinds, with what its file says of it.
    public struct Kind: Hashable, Sendable {
        static let all: [any FileReceiver.Type] = [
            StandardWebhook.self, NtfyTopic.self, AppriseServer.self, AliveCall.self,
        ]

        let receiver: any Receiver

        init(_ receiver: any Receiver) { self.receiver = receiver }

        public var word: String { type(of: receiver).word }

        public static func == (one: Kind, other: Kind) -> Bool { one.receiver.isEqual(to: other.receiver) }

        public func hash(into hasher: inout Hasher) { receiver.hash(into: &hasher) }

        // MARK: what `target add` asks

        /// A secret that goes into a file of its own.
        public enum Secret: Hashable, Sendable {
            case none
            /// Chance, in base64 behind this; shown once, for the receiver.
            case made(prefix: String)
            /// Something that people have from elsewhere and are asked for; none if they answer nothing.
            case asked(String)
        }

        public static var words: [String] { all.map { $0.word } }

        /// Those for which people are asked for a secret.
        public static var wordsOfAsked: [String] {
            words.filter { if case .asked = secret(of: $0) { true } else { false } }
        }

        public static func example(of word: String) -> String? { named(word)?.example }

        public static func secret(of word: String) -> Secret { named(word)?.secret ?? .none }

        private static func named(_ word: String) -> (any FileReceiver.Type)? { all.first { $0.word == word } }
    }
}
