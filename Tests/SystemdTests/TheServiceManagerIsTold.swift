import Foundation
import Testing

@testable import Systemd

@Test(arguments: [false, true]) func theServiceManagerIsTold(isAbstract: Bool) throws {
    let receiver = try Receiver(isAbstract: isAbstract)
    let manager = try #require(ServiceManager(notifySocket: receiver.name))
    manager.status("opening")
    #expect(receiver.nextText == "STATUS=opening")
    manager.extendTimeout(seconds: 600)
    #expect(receiver.nextText == "EXTEND_TIMEOUT_USEC=600000000")
    manager.ready(status: "serving")
    #expect(receiver.nextText == "READY=1\nSTATUS=serving")
    manager.alive()
    #expect(receiver.nextText == "WATCHDOG=1")
    manager.reloading()
    let reload = try #require(receiver.nextText)
    #expect(reload.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[0-9]{7,}/) != nil)
    manager.ready()
    #expect(receiver.nextText == "READY=1")
    manager.stopping()
    #expect(receiver.nextText == "STOPPING=1\nSTATUS=stopping")
    #expect(receiver.next == nil)
}

/// A node's name is somebody else's text.
@Test func aStatusIsOneLine() throws {
    let receiver = try Receiver()
    let manager = try #require(ServiceManager(notifySocket: receiver.name))
    manager.status("radio of Eve\nMAINPID=1\r\n\u{7F}FDSTORE=1")
    #expect(receiver.nextText == "STATUS=radio of Eve MAINPID=1   FDSTORE=1")
    manager.ready(status: "a\nb")
    #expect(receiver.nextText == "READY=1\nSTATUS=a b")
    manager.status(String(repeating: "ä", count: 5_000))
    let long = try #require(receiver.nextText)
    #expect(long.utf8.count <= 1_007)
    #expect(long.hasPrefix("STATUS=ää") && long.hasSuffix("ä…"))
}

/// What the environment says | microseconds.
@Test(
    arguments: [
        (nil, nil, nil), ("60000000", nil, 60_000_000), ("60000000", "\(getpid())", 60_000_000), ("60000000", "1", nil),
        ("0", nil, nil), ("soon", nil, nil), ("-5", nil, nil),
    ] as [(String?, String?, UInt64?)])
func theWatchdogIsForTheProcessThatIsNamed(interval: String?, process: String?, expected: UInt64?) throws {
    let receiver = try Receiver()
    let manager = ServiceManager(notifySocket: receiver.name, watchdog: interval, watchdogProcess: process)
    #expect(manager?.watchdogInterval == expected)
    #expect(manager != nil)
}

@Test(arguments: [nil, "", "@", "relative", "/nonexistent/notify", "/" + String(repeating: "x", count: 200)])
func withoutAServiceManagerNobodyIsTold(name: String?) {
    #expect(ServiceManager(notifySocket: name) == nil)
}

/// It goes away, or reads nothing any more: the daemon goes on.
@Test func aManagerThatDoesNotListenHoldsUpNothing() throws {
    var receiver: Receiver? = try Receiver()
    let manager = try #require(ServiceManager(notifySocket: receiver?.name))
    for _ in 0..<5_000 { manager.alive() }
    #expect(receiver?.nextText == "WATCHDOG=1")
    receiver = nil
    manager.status("nobody hears this")
    manager.ready()
}
