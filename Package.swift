// swift-tools-version: 6.2
import PackageDescription

/// One room of the gateway: a Swift target under Sources/ and what it may import (Sources/README.md, "The rooms").
/// `pages` are files of it for people. What is not hot runs once a command or once a request, and is compiled to be small.
func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], pages: [String] = [], isHot: Bool = true
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: pages,
        swiftSettings: strict + lean + trimmed + (isHot ? [] : small))
}

/// A test target; its directory is Tests/NAME.
/// `data` are files of it that the tests read where they lie.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], data: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["CMutexUnderTSan"], path: "Tests/\(name)", exclude: data,
        resources: resources,
        swiftSettings: strict + atOnce)
}

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
/// Without the library of regular expressions that the compiler imports by itself: 1.2 MB. Sources/Search is in its place.
let lean: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
]
/// A room of tests is compiled by one process, which also writes its module: nobody imports it, and what several processes of a
/// room do, each does again. A fifth less of the time that the tests take to compile.
let atOnce: [SwiftSetting] = [
    .unsafeFlags([
        "-disable-batch-mode", "-whole-module-optimization", "-num-threads", "1", "-no-emit-module-separately-wmo",
    ])
]
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
/// A section for each function, so that the linker can leave out those that nobody calls: 0.6 MB.
let trimmed: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))]

/// The release has no tables for unwinding stacks (.eh_frame and its index): 1.8 MB. Nothing here throws exceptions of C++ or
/// cancels threads; what libstdc++ throws ends in terminate with and without them; libraries have their own. gdb goes by frame
/// pointers, which Swift keeps, and finds the callers of a trap all the same (deploy/MANUAL.md, "The service"). Tried on x86_64
/// alone. A debug build, which is also what the sanitizers get, keeps them.
#if arch(x86_64)
    let withoutTables = [
        "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "-T", "-Xlinker",
        "\(Context.packageDirectory)/deploy/link/no-eh-frame.ld",
    ]
#else
    let withoutTables: [String] = []
#endif

/// What deploy/page makes the documents of, and what CWebPage embeds beside them.
let webPageFiles = [
    "annexes.js", "annexes.json", "api.js", "applying.js", "asking.js", "bell.css", "bell.js", "boot.js", "box.js",
    "brokers.js", "bubble.js", "channels.js", "chart.js", "charts.css", "chat.css", "chat.js", "chats.css", "chats.js",
    "codes.js", "composer.js", "core.js", "counting.js", "countries.js", "documentation.css", "documentation.html",
    "documentation.js", "door.js", "elements.js", "frame.css", "gestures.js", "icon.png", "icon.svg", "key.js",
    "links.js", "live.js", "manifest.webmanifest", "map.css", "map.js", "marks.js", "message.js", "more.js", "node.js",
    "nodes.js", "notices.js", "oxlint.json", "packets.js", "page.html", "past.js", "phone.js", "push.js", "radio.js",
    "routes.js", "rules.js", "screens.css", "search.js", "settings.css", "settings.js", "setup.css", "setup.js",
    "style.css", "sw.js", "tables.css", "talks.css", "talks.js", "targets.js", "texts.js", "token.js", "told.css",
    "told.js", "views.js", "waypoints.js", "where.js", "widgets.js",
]

let package = Package(
    name: "mesh-gateway",
    products: [.executable(name: "mesh-gateway", targets: ["mesh-gateway"])],
    targets: [
        .systemLibrary(name: "CSerialPort", pkgConfig: "libserialport", providers: [.apt(["libserialport-dev"])]),
        .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .target(name: "CShims", dependencies: ["CMicroHTTPD"]),
        .target(name: "CMosquitto", dependencies: [], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CYAML", dependencies: [], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CHogweed", dependencies: [], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CMeshtastic", dependencies: ["CProtobufC"]),
        // C23's #embed takes no time, a literal in Swift takes minutes.
        .target(
            name: "CWebPage", dependencies: [],
            exclude: [
                "page.html", "page.html.gz", "documentation.html", "documentation.html.gz", "annex-node.js",
                "annex-node.js.gz", "annex-map.js", "annex-map.js.gz", "annex-air.js", "annex-air.js.gz",
                "annex-told.js", "annex-told.js.gz", "annex-setup.js", "annex-setup.js.gz", "annex-settings.js",
                "annex-settings.js.gz", "annex-talks.js", "annex-talks.js.gz", "openapi.json.packed",
            ],
            cSettings: [.unsafeFlags(["-std=c23"])]),

        room("Search"),
        room("JSON"),
        room("Platform", ["CShims"]),
        room("Log"),
        room("Nettle", ["CNettle", "CHogweed"]),
        room("Archives", ["JSON", "Platform", "Nettle"]),
        room("MeshModel", ["JSON"]),
        room("MeshProtocol", ["JSON", "MeshModel", "Nettle", "CMeshtastic"]),
        room("RadioLink", ["Platform", "MeshModel", "MeshProtocol", "CSerialPort"]),
        room("Store", ["JSON", "Platform", "Nettle", "MeshModel", "CSQLite"], pages: ["Archive.md"]),
        room("Gateway", ["JSON", "Platform", "MeshModel", "MeshProtocol", "RadioLink", "Store", "Log"]),
        room("RadioShare", ["Platform", "MeshModel", "MeshProtocol", "Store", "Gateway", "Log"]),
        room(
            "Rules",
            ["Search", "JSON", "Platform", "Log", "MeshModel", "MeshProtocol", "Gateway", "Store", "Folders"],
            isHot: false),
        room(
            "Notifications", ["JSON", "Platform", "Nettle", "Log", "MeshModel", "Gateway", "Store", "Folders"],
            isHot: false),
        room(
            "Recordings", ["Search", "Platform", "MeshModel", "MeshProtocol", "RadioLink", "Store", "Gateway", "Log"],
            isHot: false),
        room(
            "MeshMonitor", ["JSON", "MeshModel", "MeshProtocol", "Nettle", "Store"], pages: ["README.md"], isHot: false),
        room("HTTPServer", ["JSON", "Search", "Platform", "CMicroHTTPD", "CGnuTLS", "CShims"]),
        room(
            "Routes",
            ["JSON", "Platform", "Log", "Nettle", "MeshModel", "Gateway", "Store", "HTTPServer", "Folders"],
            isHot: false),
        room(
            "RestAPI",
            [
                "JSON", "Search", "Platform", "MeshModel", "MeshProtocol", "Nettle", "Gateway", "Store", "HTTPServer",
                "Routes", "QRCodes", "CWebPage",
            ],
            pages: ["README.md", "Contract.md", "ThreatModel.md"], isHot: false),
        // What deploy/golden makes the API's description of. RestAPI embeds that, and the program links nothing of this.
        room("OpenAPI", ["JSON", "Search", "Gateway", "Routes", "RestAPI"], isHot: false),
        room(
            "ControlAPI",
            [
                "JSON", "Platform", "MeshModel", "MeshProtocol", "Nettle", "Gateway", "Store", "HTTPServer", "Routes",
                "Diagnostics",
            ],
            isHot: false),
        room(
            "WebPage", ["HTTPServer", "Routes", "CWebPage"],
            pages: webPageFiles, isHot: false),
        room("Terminal", ["Search"], isHot: false),
        room("Folders", ["JSON", "Platform", "Terminal"], isHot: false),
        room("CommandLine", ["JSON", "Terminal"], isHot: false),
        room("QRCodes", ["CQREncode"], isHot: false),
        room("YAML", ["CYAML"], isHot: false),
        room("Configuration", ["Search", "Platform", "Log", "MeshModel", "Folders"], isHot: false),
        room("Diagnostics", ["JSON", "MeshModel", "Search", "Terminal", "Platform"], isHot: false),
        room("Systemd", ["Platform"]),
        room(
            "MQTTBridge",
            [
                "JSON", "Platform", "Nettle", "Log", "MeshModel", "MeshProtocol", "Gateway", "Store", "Folders",
                "CMosquitto",
            ], isHot: false),
        room("RadioSimulator", ["Platform", "MeshModel", "MeshProtocol", "CShims"], isHot: false),
        .executableTarget(
            name: "mesh-gateway",
            dependencies: [
                "JSON", "Search", "Nettle", "MeshModel", "MeshProtocol", "RadioLink", "Archives", "Store", "Gateway",
                "Recordings",
                "MeshMonitor", "Notifications",
                "HTTPServer",
                "Routes", "RestAPI", "ControlAPI", "WebPage", "CommandLine", "Configuration", "Diagnostics", "Terminal",
                "QRCodes",
                "RadioSimulator",
                "Systemd", "Platform", "CShims", "RadioShare",
                "Log", "Rules", "MQTTBridge", "Folders", "YAML",
            ],
            exclude: ["README.md"],
            swiftSettings: strict + lean + trimmed + small,
            // Position-independent code needs a word of relocation for each of its 62,000 pointers: 1.5 MB, read at every
            // start. Packed (DT_RELR, glibc 2.36) they take 20 kB; gold, Swift's usual linker, cannot do that. Nothing loads
            // the executable as a library, so that it exports none of its 8,000 symbols: 0.7 MB. Bound at the start (now),
            // the addresses of functions are read-only afterwards. Functions of equal code are one: 0.6 MB. What runs at a
            // start and under load lies side by side, in the order that deploy/order has written: 4 MB less of memory. deploy/link
            // links the C++ library statically.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "-z",
                        "-Xlinker", "now", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=all", "-L",
                        "\(Context.packageDirectory)/deploy/link", "-Xlinker", "--symbol-ordering-file", "-Xlinker",
                        "\(Context.packageDirectory)/deploy/link/functions.txt", "-Xlinker",
                        "--no-warn-symbol-ordering",
                    ] + withoutTables,
                    .when(platforms: [.linux], configuration: .release))
            ]),

        .target(name: "CMutexUnderTSan", path: "Tests/CMutexUnderTSan", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CRecordingDisk", dependencies: ["CSQLite"], path: "Tests/CRecordingDisk"),
        .target(name: "CFakeSerial", path: "Tests/CFakeSerial", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "FakeSerial", dependencies: ["CFakeSerial", "CShims"], path: "Tests/FakeSerial",
            swiftSettings: strict),
        // The documentation as tests read it.
        .target(name: "Pages", path: "Tests/Pages", swiftSettings: strict),
        // JSON as the strictest client reads it.
        .target(name: "StrictJSON", path: "Tests/StrictJSON", swiftSettings: strict),
        // Files of texts that tests compare with.
        .target(name: "Goldens", path: "Tests/Goldens", swiftSettings: strict),
        tests("ArchitectureTests", ["Pages", "MeshModel"]),
        .target(
            name: "MadeUpProgram", dependencies: ["CommandLine"], path: "Tests/MadeUpProgram", swiftSettings: strict),
        tests("CommandLineTests", ["CommandLine", "MadeUpProgram", "Terminal"]),
        .target(
            name: "HeldWriter", dependencies: ["Platform", "RadioLink", "Store"], path: "Tests/HeldWriter",
            swiftSettings: strict),
        tests("LogTests", ["Log"]),
        tests("NettleTests", ["JSON", "Nettle"]),
        // Unit, udev rules and the other files of the Debian package.
        tests("PackageTests", ["RadioLink", "Configuration"]),
        tests(
            "MeshProtocolTests", ["JSON", "MeshModel", "MeshProtocol", "Nettle", "CMeshtastic"],
            data: ["Inventory.tsv", "Differences.tsv", "compare-descriptors.py"]),
        tests(
            "RadioLinkTests",
            ["Platform", "MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "CShims", "FakeSerial"]),
        tests("SearchTests", ["Search"], data: ["re2-answers.py"]),
        tests("StoreTests", ["Platform", "MeshModel", "Store", "CRecordingDisk", "CSQLite"]),
        tests(
            "GatewayTests",
            ["MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "Store", "Gateway", "Log", "HeldWriter"]),
        tests(
            "RadioShareTests",
            [
                "Platform", "MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "Store", "Gateway",
                "RadioShare",
                "Log",
            ]),
        tests(
            "SimulationTests",
            ["MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "Store", "Gateway", "Log", "Rules"]),
        tests("HTTPServerTests", ["Platform", "HTTPServer", "CGnuTLS"]),
        tests(
            "RestAPITests",
            [
                "JSON", "Platform", "MeshModel", "MeshProtocol", "Nettle", "RadioLink", "RadioSimulator", "Store",
                "Gateway",
                "HTTPServer", "Routes", "RestAPI", "OpenAPI", "ControlAPI", "QRCodes", "Log", "Folders", "Rules",
                "Notifications", "MQTTBridge",
            ], data: ["Own/Radio/Settings.tsv"]),
        tests("DiagnosticsTests", ["Diagnostics", "Archives", "JSON", "MeshModel", "Platform"]),
        tests(
            "RulesTests",
            [
                "Platform", "MeshModel", "RadioLink", "RadioSimulator", "Store", "Gateway", "Folders", "Log", "Rules",
            ]),
        tests(
            "NotificationsTests",
            [
                "JSON", "Platform", "Nettle", "MeshModel", "RadioLink", "Store", "Gateway", "Log", "Notifications",
                "Folders", "ServedProgram",
            ], data: ["verify-webhooks.py", "browsers.py", "apple.py"]),
        tests("SystemdTests", ["Systemd"]),
        tests("YAMLTests", ["MeshModel", "MeshProtocol", "YAML"]),
        tests(
            "MQTTBridgeTests",
            [
                "JSON", "Platform", "MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "Store", "Gateway",
                "Log",
                "MQTTBridge",
            ]),
        // Every room with a folder of files means the same by a reload.
        tests(
            "FoldersTests",
            ["Platform", "Folders", "Log", "RadioLink", "Store", "Gateway", "Rules", "Notifications", "MQTTBridge"]),
        tests("ConfigurationTests", ["Platform", "Configuration", "Terminal", "QRCodes"]),
        tests("RadioSimulatorTests", ["MeshModel", "MeshProtocol", "RadioSimulator"]),
        tests(
            "RecordingTests",
            [
                "Platform", "MeshModel", "MeshProtocol", "RadioLink", "Store", "Gateway", "Recordings",
                "HTTPServer",
                "Routes", "RestAPI", "ControlAPI", "CMeshtastic", "FakeSerial", "Log", "HeldWriter", "StrictJSON",
                "Pages", "Goldens",
            ], data: ["ReplayedGolden.txt", "MeshMonitor/answers.jsonl.gz"]),
        // The shipped executable as a test runs it; opened with @testable, so that nothing in it needs to be public.
        .target(
            name: "ServedProgram", dependencies: ["Platform", "Nettle", "MeshModel", "MeshProtocol", "RadioSimulator"],
            path: "Tests/ServedProgram",
            swiftSettings: strict),
        tests(
            "ScenarioTests",
            [
                "Platform", "MeshModel", "RadioSimulator", "Configuration", "FakeSerial", "ServedProgram", "Pages",
                "Goldens", "CSQLite",
            ],
            data: [
                "Screens.txt", "fit-schemas.py", "databases.py", "archives.py", "receive-webhooks.py", "hear-events.py",
                "command-lines.jsonl.gz",
            ]),
        tests(
            "ClientTests", ["MeshModel", "MeshProtocol", "RadioSimulator", "ServedProgram", "StrictJSON"],
            data: ["Golden.txt", "read-with-pydantic.py", "emacs-session.el"]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "MeshModel", "MeshProtocol", "RadioLink", "RadioSimulator", "RadioShare", "Store", "Gateway", "Routes",
                "Rules", "Log", "Platform",
            ],
            path: "Tests/Benchmarks",
            exclude: [
                "README.md", "Costs.tsv", "reference", "cable.py", "commands.py", "costs.py", "disk.py", "measure.py",
                "official_library.py", "packets.py", "events.py", "routes.py", "rows.py", "servers.py",
                "shared_radio.py", "start.py", "visibility.py", "web_page.py",
            ], swiftSettings: strict),
        // Killed by a test.
        .executableTarget(
            name: "toy-reader",
            dependencies: ["Platform", "MeshModel", "RadioLink", "Store", "Gateway", "Notifications", "Rules", "Log"],
            path: "Tests/ToyReader",
            swiftSettings: strict),
        // Serves brokers' connections for tests.
        .executableTarget(
            name: "broker-program", dependencies: ["MQTTBridge"], path: "Tests/BrokerProgram", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "JSON", "Platform", "MeshModel", "MeshProtocol", "RadioLink", "Store", "Gateway", "Recordings",
                "HTTPServer", "Routes", "RestAPI", "ControlAPI", "Configuration", "Log", "CommandLine", "MadeUpProgram",
                "RadioShare", "MQTTBridge", "Search", "YAML",
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: strict),
        tests("FuzzTests", ["FuzzTargets"]),
    ]
)

// libFuzzer brings the main function of this one, so that an ordinary build could not link it: Tests/Fuzz/README.md.
if Context.environment["MESH_GATEWAY_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Entry",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}

// Only these tests, and with `swift build --product mesh-gatewayPackageTests` only what they need: deploy/test --ci.
if let names = Context.environment["MESH_GATEWAY_TEST_TARGETS"]?.split(whereSeparator: \.isWhitespace) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name[...]) }
}
