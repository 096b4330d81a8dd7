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
        "Sources/Gateway/Radio/PromisedValue.swift",
        "Sources/Gateway/Outbox/Deleting.swift",
        "Sources/Gateway/Outbox/DeliveryReports.swift",
        "Sources/Gateway/Outbox/DeliveryRules.swift",
        "Sources/Gateway/Outbox/WrittenPackets.swift",
        "Sources/Gateway/Outbox/OutboxQueue.swift",
        "Sources/Gateway/Outbox/OutboxRecovery.swift",
        "Sources/Gateway/Outbox/OutgoingPackets.swift",
        "Sources/Gateway/Outbox/Resending.swift",
        "Sources/Gateway/Outbox/Sending.swift",
        "Sources/Gateway/Outbox/SendingPace.swift",
        "Sources/Store/Attempts.swift",
        "Sources/Store/Outbox.swift",
    ],
}
