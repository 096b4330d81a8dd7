import CommandLine
import JSON
import Terminal

/// `mesh-gateway waypoint`: points on the map that nodes share.
struct WaypointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waypoint",
        abstract: "Lists, makes, changes and deletes the points on the map that nodes share.",
        subcommands: [List.self, Create.self, Change.self, Delete.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the waypoints.")

        @Flag(name: .shortAndLong, help: "Also those that have expired.")
        var all = false

        @OptionGroup var viewing: Viewing

        func run() throws {
            let page = try Backend.reading(viewing).get(
                "/local/waypoints", [("source", viewing.source), ("all", all ? "true" : nil)])
            try viewing.show(page, text)
        }

        private func text(_ page: JSONValue) -> String {
            let waypoints = page["waypoints"]?.array ?? []
            guard !waypoints.isEmpty else {
                return Screen.lines(
                    "No waypoint is known; make one: mesh-gateway waypoint create NAME LATITUDE,LONGITUDE")
            }
            var table = Table([
                .init("ID", .right), .init("NAME", widest: 30), .init("WHERE"),
                .init("CHANNEL", widest: 16, expendability: 2), .init("FROM", widest: 20, expendability: 3),
                .init("UNTIL", expendability: 1), .init("LOCKED TO", expendability: 4),
                .init("DESCRIPTION", widest: 40, expendability: 5),
            ])
            for waypoint in waypoints {
                let icon = waypoint["icon"]?.string.map { "\($0) " } ?? ""
                table.add([
                    waypoint["id"]?.decimal(0) ?? "?", icon + (waypoint["name"]?.string ?? ""),
                    WaypointCommand.place(waypoint) ?? "-",
                    waypoint["channelName"]?.string ?? waypoint["channel"]?.decimal(0) ?? "-",
                    waypoint["from"]?["longName"]?.string ?? "-", viewing.time(waypoint["expiresAt"]) ?? "always",
                    waypoint["lockedTo"]?.string ?? "-", waypoint["description"]?.string ?? "",
                ])
            }
            return table.text(style: Screen.style(.bold), screen: Screen.width)
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Makes a waypoint and tells everybody on a channel.",
            discussion: """
                South and west are negative. Such a place stands behind two dashes: mesh-gateway waypoint create -- NAME \
                -33.85,151.2
                """)

        @Argument(help: "What it is called, at most 29 bytes.")
        var name: String

        @Argument(help: ArgumentHelp("Where it is, in degrees: \(Place.form).", valueName: "place"))
        var place: String

        @Option(help: ArgumentHelp("Tell everybody on this channel, 0 to 7; 0 without.", valueName: "index"))
        var channel: Int?

        @OptionGroup var words: WaypointWords
        @OptionGroup var viewing: Viewing

        func run() throws {
            var members = [("name", JSONText.quoted(name))] + (try Place.members(place, of: "the place"))
            if let channel { members.append(("channel", "\(channel)")) }
            try WaypointCommand.post("/local/waypoints", members + words.members(), viewing)
        }
    }

    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change", abstract: "Changes a waypoint; what is not named stays as it is.")

        @Argument(help: "Which one: its id, or its name.")
        var waypoint: String

        @Option(help: ArgumentHelp("Its new name.", valueName: "text"))
        var name: String?

        @Option(help: ArgumentHelp("Where it is, in degrees: \(Place.form).", valueName: "place"))
        var place: String?

        @Flag(help: "Everybody may change it.")
        var unlock = false

        @OptionGroup var words: WaypointWords
        @OptionGroup var viewing: Viewing

        func run() throws {
            var members = try words.members()
            if let name { members.append(("name", JSONText.quoted(name))) }
            if let place { members += try Place.members(place, of: "--place") }
            if unlock {
                guard !words.lock else { throw failure("either --lock or --unlock.", .usage) }
                members.append(("locked", "false"))
            }
            guard !members.isEmpty else { throw failure("say what to change, such as --name NAME.", .usage) }
            try WaypointCommand.post(WaypointCommand.path(waypoint), members, viewing)
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Deletes a waypoint here and at everybody on its channel.",
            discussion: """
                One that came as a direct message is deleted at its sender, too, or here alone when there is no key for it.
                """)

        @Argument(help: "Which one: its id, or its name.")
        var waypoint: String

        @OptionGroup var viewing: Viewing

        func run() throws { try WaypointCommand.post(WaypointCommand.path(waypoint) + "/delete", [], viewing) }
    }

    fileprivate static func path(_ waypoint: String) -> String {
        "/local/waypoints/\(PercentEncoding.segment(waypoint))"
    }

    fileprivate static func post(_ path: String, _ members: [(String, String)], _ viewing: Viewing) throws {
        let backend = try Backend.acting(viewing)
        defer { backend.close() }
        let page = try backend.post(path, [("source", viewing.source)], body: JSONText.object(members))
        try viewing.show(page) { page in
            let waypoint = page["waypoint"]
            let name = waypoint?["name"]?.string.map { " \"\($0)\"" } ?? ""
            let place = waypoint.flatMap { Self.place($0) }.map { " at \($0)" } ?? ""
            let channel = waypoint?["channel"]?.decimal(0).map { " on channel \($0)" } ?? ""
            let sentence = "Waypoint \(page["id"]?.decimal(0) ?? "?")\(name) is \(page["change"]?.string ?? "changed")"
            let end =
                page["isTold"]?.bool == false ? " here alone: there is no key with which its sender could be told" : ""
            return Screen.lines(printable("\(sentence)\(place)\(channel)\(end)."))
        }
    }

    fileprivate static func place(_ waypoint: JSONValue) -> String? {
        guard let latitude = waypoint["latitude"]?.decimal(5), let longitude = waypoint["longitude"]?.decimal(5) else {
            return nil
        }
        return "\(latitude), \(longitude)"
    }
}

/// What `create` and `change` can say of a waypoint.
struct WaypointWords: ParsableArguments {
    @Option(help: ArgumentHelp("What there is to know of it, at most 99 bytes.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("One character that stands for it on the map, such as an emoji.", valueName: "icon"))
    var icon: String?

    @Option(help: ArgumentHelp("When it expires: \(Expiry.forms).", valueName: "when"))
    var expires: String?

    @Flag(help: "Nobody but this radio may change it.")
    var lock = false

    func members() throws -> [(String, String)] {
        var members: [(String, String)] = []
        if let description { members.append(("description", JSONText.quoted(description))) }
        if let icon { members.append(("icon", JSONText.quoted(icon))) }
        if let expires {
            guard let milliseconds = Expiry.milliseconds(expires) else {
                throw failure("--expires cannot be \"\(expires)\"; it is \(Expiry.forms), not in the past.", .usage)
            }
            members.append(("expireAt", "\(milliseconds / 1000)"))
        }
        if lock { members.append(("locked", "true")) }
        return members
    }
}

/// A place as it is typed.
private enum Place {
    static let form = "LATITUDE,LONGITUDE, such as 46.2044,6.1432"

    static func members(_ text: String, of argument: String) throws -> [(String, String)] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(String($0.trimmed)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1], latitude.isFinite,
            longitude.isFinite
        else { throw failure("\(argument) cannot be \"\(printable(text))\"; it is \(form).", .usage) }
        return [("latitude", "\(latitude)"), ("longitude", "\(longitude)")]
    }
}
