import Foundation
import Testing

@testable import ServedProgram

/// A stream that nobody reads is closed after 65 seconds and named in the log, and holds up nobody meanwhile.
@Test(.enabled(if: isFullRun, "it takes more than a minute"))
func aReaderThatTakesNothingIsNamed() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.nodes = 3 }
    let device = "\(folders.root)/radio"
    try here.radio.openPty(link: device)
    var gateway = try ServedGateway(device: device, in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let lazy = try EventStreamClient(gateway.client, receiveBuffer: 2048)
    let other = try EventStreamClient(gateway.client, "/api/v1/events?kinds=message")
    #expect(try other.next()?.first?.kind == "start")
    func isNamed() -> Bool { gateway.program.errors.text.contains("took nothing of its stream and was cut off") }
    // From the moment on at which the two kernels hold no more for him, somebody says something every second: REST has it,
    // and the other one is told.
    var count = 0
    while !isNamed(), count < 240 {
        count += 1
        for part in 1...(count < 40 ? 20 : 1) {
            here.radio.sendText(from: here.radio.nodes[part % 3].number, "text \(count).\(part)")
        }
        try here.say("whole \(count)", to: gateway)
        var seen = ""
        while seen != "whole \(count)" {
            for event in try #require(try other.next()) { seen = event.data["text"].string ?? seen }
        }
        if count >= 40 { usleep(1_000_000) }
    }
    try #require(isNamed())
    #expect(gateway.program.errors.text.split(separator: "\n").filter { $0.contains("took nothing") }.count == 1)
    // His place is free, and he finds the end of what the kernels still had.
    while try lazy.next() != nil {}
    lazy.cut()
    other.cut()
    try gateway.program.stop()
}
