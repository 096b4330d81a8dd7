import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

// A radio that was not told goodbye goes on speaking into a cable that nobody reads, and what it says is lost. After
// `disconnect` it keeps what arrives for the next program.
@Test func anOrderlyStopLeavesTheRadioListening() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let link = "\(folders.root)/radio"
    try here.radio.openPty(link: link)
    let first = try ServedGateway(device: link, in: folders)
    try first.waitUntilLive()
    try first.program.stop()
    #expect(first.program.errors.text.contains("stopping"))
    here.radio.sendText(from: here.radio.nodes[0].number, "while you were away")

    var second = try ServedGateway(device: link, in: folders)
    try second.authorize()
    try second.eventually("the radio has kept it") {
        try second.messages().map { $0["text"] } == ["while you were away"]
    }
    // Ctrl-C in a terminal is as orderly.
    try second.waitUntilLive()
    second.program.signal(SIGINT)
    #expect(try second.program.exitCode() == 0)
}
