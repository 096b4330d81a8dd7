/// Why what is in force is not at work, although nothing is wrong with the files.
public struct Obstacle: Error, Hashable, Sendable {
    /// A sentence without a full stop, for people.
    public let text: String
    /// What to type.
    public let command: String

    public init(_ text: String, command: String) { (self.text, self.command) = (text, command) }

    /// With a capital, for where it begins.
    public var sentence: String { text.prefix(1).uppercased() + text.dropFirst() }

    /// The system has no thread, or no descriptor. It is asked again at the next reload.
    ///
    /// - Parameter lack: such as "the system has no thread for them".
    public static func lacking(_ lack: String) -> Obstacle {
        let command = "sudo systemctl reload mesh-gateway"
        return Obstacle("\(lack); when something else has ended, type: \(command)", command: command)
    }
}
