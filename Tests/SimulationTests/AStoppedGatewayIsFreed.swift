import Foundation
import Gateway
import Log
import RadioLink
import Store
import Testing

/// Valgrind has found that it was not: its watch of the host's clock held the radios, and each of these the watch.
@Test func aStoppedGatewayIsFreed() throws {
    let path = FileManager.default.temporaryDirectory.path + "/freed-\(UUID().uuidString).db"
    defer {
        for ending in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }
    weak var link: RadioLink?
    try inAPlaceOfItsOwn {
        let store = try Store(path: path)
        let gateway = try Gateway(
            store: store, logger: .silent,
            makeLink: { delegate in
                let made = RadioLink(address: .path("/dev/null/none"), delegate: delegate)
                link = made
                return made
            })
        gateway.start()
        gateway.stop()
        store.close()
    }
    #expect(link == nil)
}

/// What is made in here has no name any more when it returns.
private func inAPlaceOfItsOwn(_ body: () throws -> Void) rethrows { try body() }
