import MeshModel
import Store
import Testing

@testable import Notifications

/// What a refusal means, in words that say what to change, and that repeat nothing of the answer.
@Test(arguments: [
    ("http://ntfy.example.org/t", 301, "write https:// in place of http://"),
    ("http://ntfy.example.org/t", 308, "write https:// in place of http://"),
    ("https://ntfy.example.org/t", 302, "another address, which is not done"),
    ("https://ntfy.example.org/t", 403, "its topic wants a token"),
    ("https://me:tk_x@ntfy.example.org/t", 404, "nothing at this address"),
])
func anAnswerSaysWhatToWrite(url: String, status: Int, words: String) throws {
    let phone = Target("phone", .ntfy(token: nil), try WebAddress(url))
    let verdict = SendQueue.Verdict(.answered(status: status, retryAfter: nil), of: phone, at: 0)
    guard case .refused(let why) = verdict else {
        Issue.record("\(verdict)")
        return
    }
    #expect(why.hasPrefix("ntfy.example.org answered \(status)") && why.contains(words), "\(why)")
}

@Test func aTokenThatMayNotIsNamed() throws {
    func words(_ target: Target) -> String {
        "\(SendQueue.Verdict(.answered(status: 403, retryAfter: nil), of: target, at: 0))"
    }
    #expect(words(Target("phone", .ntfy(token: "tk_x"), try WebAddress("https://n/t"))).contains("its token may not"))
    #expect(words(Target("hook", .webhook(secret: []), try WebAddress("https://n/t"))).contains("may want a token"))
    let login = Target("hook", .webhook(secret: []), try WebAddress("https://me:geheim@n/t"))
    #expect(words(login).contains("its token may not") && !words(login).contains("geheim"))
}

@Test func appriseIsWarnedOfStatesThatBegin() throws {
    func type(_ state: FeedRow.State?, _ priority: FeedRow.Priority?) -> String {
        var told = Outgoing.test(of: "family", at: 0, link: nil)
        (told.state, told.priority) = (state, priority)
        return told.appriseType
    }
    #expect(type(.begins, nil) == "warning" && type(.begins, .low) == "warning" && type(.ends, .high) == "success")
    #expect(type(nil, nil) == "info" && type(nil, .high) == "warning")
}
