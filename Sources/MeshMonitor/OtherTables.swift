/// Why nothing is taken out of a table.
public enum OtherTables {
    public static func reason(for table: String) -> String {
        reasons[plainSpelling(table)]
            ?? (plainSpelling(table).hasPrefix("meshcore") || plainSpelling(table).hasPrefix("reticulum")
                ? "of another kind of mesh" : "nothing here has its place")
    }

    private static let reasons: [String: String] = {
        let groups: [(String, [String])] = [
            (
                "people and their passwords; here programs have tokens",
                ["users", "permissions", "sessions", "auditlog", "usernotificationpreferences", "usermappreferences"]
            ),
            ("only its hash is stored; the program that has it can bring it", ["apitokens"]),
            ("only the numbers of the radios were read", ["settings"]),
            ("the packets of a day, without their bytes", ["packetlog", "mqttpacketlog"]),
            ("worked out of traceroutes", ["routesegments"]),
            ("marks are kept for each token here", ["readmessages", "conversationreadstate"]),
        ]
        var reasons: [String: String] = [:]
        for (reason, tables) in groups { for table in tables { reasons[table] = reason } }
        return reasons
    }()
}
