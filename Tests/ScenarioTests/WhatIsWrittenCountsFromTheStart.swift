import Foundation
import Testing

@testable import ServedProgram

/// `deploy/run` builds in the shell that becomes the daemon, and the kernel goes on counting for the same process.
@Test func whatIsWrittenCountsFromTheStart() throws {
    let folders = try Folders()
    let counted = "\(folders.root)/io"
    // Not below the folders of the test: they may be in memory.
    let shell = """
        file=$(mktemp -p /var/tmp) && dd if=/dev/zero of=$file bs=1M count=32 conv=fsync 2>/dev/null
        rm $file; cat /proc/$$/io >\(counted); exec "$@"
        """
    let gateway = try ServedGateway(device: "simulated", in: folders, wrapper: ["/bin/bash", "-c", shell, "shell"])
    let before = try String(contentsOfFile: counted, encoding: .utf8).firstMatch(of: /\nwrite_bytes: (\d+)\n/)
    try #require(before.flatMap { Int($0.1) } ?? 0 >= 32 << 20, "the shell has written nothing to a disk")

    let page = try Program.run("status", "--json", in: folders).output
    let status = try JSONDecoder().decode(JSON.self, from: Data(page.utf8))
    let written = try #require(status["gateway"]["writtenBytes"].integer, "\(page)")
    #expect((0..<16 << 20).contains(written), "\(page)")
    try gateway.program.stop()
}
