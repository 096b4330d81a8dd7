import Testing

/// Each recording is played to a gateway, and all that its oracle knows must be in the database and in the API.
@Test(arguments: RecordingFiles.names)
func nothingInAnOracleIsMissing(_ name: String) throws {
    let played = try PlayedRecording(name)
    try played.compareRadio().report()
    played.compareLink().report()
    try played.compareChannels().report()
    try played.comparePackets().report()
    try played.compareReceivedTexts().report()
    try played.compareSentTexts().report()
    try played.compareNodes().report()
    try played.compareTelemetry().report()
    try played.comparePositions().report()
    try played.compareWaypoints().report()
    try played.compareRoutes().report()
    try played.compareNeighbors().report()
    try played.compareNotices().report()
    try played.compareChannelAnswers().report()
    try played.compareNodeAnswers().report()
    try played.compareMessageAnswers().report()

    let keys = played.recording.privateKeys
    #expect(!keys.isEmpty, "\(name): the radio sent its private key")
    for file in try played.storedFiles {
        for spelling in keys.flatMap(spellings) {
            #expect(file.bytes.range(of: spelling) == nil, "\(name): \(file.name) has the radio's private key")
        }
    }
}
