import Foundation
import Testing

@testable import Systemd

/// FDSTORE of sd_pid_notify_with_fds(3): systemd gets the same open file under another number.
@Test func aSocketIsKeptForTheNextProcess() throws {
    let receiver = try Receiver()
    let manager = try #require(ServiceManager(notifySocket: receiver.name))
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 8) == 0)

    #expect(manager.keep(listener, as: "mesh-gateway-share-*_4403"))
    let (text, kept) = try #require(receiver.nextWithDescriptor)
    defer { close(kept) }
    #expect(text == "FDSTORE=1\nFDNAME=mesh-gateway-share-*_4403")
    #expect(kept != listener)
    func inode(_ descriptor: Int32) -> UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
    }
    #expect(inode(kept) == inode(listener) && inode(kept) != 0)

    manager.keepNoLonger("mesh-gateway-share-*_4403")
    #expect(receiver.nextText == "FDSTOREREMOVE=1\nFDNAME=mesh-gateway-share-*_4403")
    #expect(receiver.next == nil)
}

@Test func nobodyKeepsItWhenTheManagerHasGone() throws {
    var receiver: Receiver? = try Receiver()
    let manager = try #require(ServiceManager(notifySocket: receiver?.name))
    receiver = nil
    #expect(!manager.keep(STDIN_FILENO, as: "x"))
}
