"""What must not go wrong: framing, who is let in, and that no accepted message is lost or sent twice.

Every line of these files is to be run by a test (deploy/coverage), and a change of one to fail a test (deploy/mutations).
"""

AREAS = {
    "framing": ["Sources/MeshProtocol/StreamDecoder.swift", "Sources/MeshProtocol/StreamFrame.swift"],
    "token": [
        "Sources/Routes/Access/APIToken.swift",
        "Sources/Routes/Access/Scopes.swift",
        "Sources/Routes/Access/TokenCheck.swift",
        "Sources/Routes/Access/TokenRegister.swift",
        "Sources/Routes/Access/WrongTokens.swift",
        "Sources/Store/Tokens.swift",
    ],
    "delivery": [
        "Sources/Gateway/PromisedValue.swift",
        "Sources/Gateway/Deleting.swift",
        "Sources/Gateway/DeliveryReports.swift",
        "Sources/Gateway/DeliveryRules.swift",
        "Sources/Gateway/HandedPackets.swift",
        "Sources/Gateway/OutboxQueue.swift",
        "Sources/Gateway/OutboxRecovery.swift",
        "Sources/Gateway/OutgoingPackets.swift",
        "Sources/Gateway/Resending.swift",
        "Sources/Gateway/Sending.swift",
        "Sources/Gateway/SendingPace.swift",
        "Sources/Store/Attempts.swift",
        "Sources/Store/Outbox.swift",
    ],
}
