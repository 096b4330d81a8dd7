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
    // More than the two kernels hold for him.
    for number in 1...40 {
        for part in 1...20 { here.radio.sendText(from: here.radio.nodes[part % 3].number, "text \(number).\(part)") }
        try here.say("whole \(number)", to: gateway)
    }
    var seen = ""
    while seen != "whole 40" {
        for event in try #require(try other.next()) { seen = event.data["text"].string ?? seen }
    }
    _ = try gateway.program.errors.line(containing: "took nothing of its stream and was cut off")
    #expect(gateway.program.errors.text.split(separator: "\n").filter { $0.contains("took nothing") }.count == 1)
    lazy.cut()
    other.cut()
    try gateway.program.stop()
}
