"""The tables of MeshMonitor, as far as its history is in them: names and types as the program has them in SQLite."""

NODES = """
    longName TEXT, shortName TEXT, hwModel INTEGER, role INTEGER, hopsAway INTEGER, lastMessageHops INTEGER,
    viaMqtt INTEGER, macaddr TEXT, latitude REAL, longitude REAL, altitude REAL, batteryLevel INTEGER, voltage REAL,
    channelUtilization REAL, airUtilTx REAL, lastHeard INTEGER, snr REAL, rssi INTEGER, lastTracerouteRequest INTEGER,
    firmwareVersion TEXT, channel INTEGER, isFavorite INTEGER DEFAULT 0, favoriteLocked INTEGER DEFAULT 0,
    isIgnored INTEGER DEFAULT 0, mobile INTEGER DEFAULT 0, rebootCount INTEGER, publicKey TEXT,
    lastMeshReceivedKey TEXT, hasPKC INTEGER, lastPKIPacket INTEGER, keyIsLowEntropy INTEGER,
    duplicateKeyDetected INTEGER, keyMismatchDetected INTEGER, welcomedAt INTEGER, positionChannel INTEGER,
    positionPrecisionBits INTEGER, positionTimestamp INTEGER
"""
MESSAGES = """
    id TEXT PRIMARY KEY, fromNodeNum INTEGER NOT NULL, toNodeNum INTEGER NOT NULL, fromNodeId TEXT NOT NULL,
    toNodeId TEXT NOT NULL, text TEXT NOT NULL, channel INTEGER NOT NULL DEFAULT 0, portnum INTEGER,
    requestId INTEGER, timestamp INTEGER NOT NULL, rxTime INTEGER, hopStart INTEGER, hopLimit INTEGER,
    relayNode INTEGER, replyId INTEGER, emoji INTEGER, viaMqtt INTEGER, rxSnr REAL, rxRssi REAL, ackFailed INTEGER,
    routingErrorReceived INTEGER, deliveryState TEXT, wantAck INTEGER, ackFromNode INTEGER,
    createdAt INTEGER NOT NULL, decrypted_by TEXT
"""
TELEMETRY = """
    id INTEGER PRIMARY KEY AUTOINCREMENT, nodeId TEXT NOT NULL, nodeNum INTEGER NOT NULL,
    telemetryType TEXT NOT NULL, timestamp INTEGER NOT NULL, value REAL, unit TEXT, createdAt INTEGER NOT NULL,
    packetTimestamp INTEGER, packetId INTEGER, channel INTEGER, precisionBits INTEGER, gpsAccuracy REAL
"""
TRACEROUTES = """
    id INTEGER PRIMARY KEY AUTOINCREMENT, fromNodeNum INTEGER NOT NULL, toNodeNum INTEGER NOT NULL,
    fromNodeId TEXT NOT NULL, toNodeId TEXT NOT NULL, route TEXT, routeBack TEXT, snrTowards TEXT, snrBack TEXT,
    routePositions TEXT, timestamp INTEGER NOT NULL, createdAt INTEGER NOT NULL
"""
NEIGHBORS = """
    id INTEGER PRIMARY KEY AUTOINCREMENT, nodeNum INTEGER NOT NULL, neighborNodeNum INTEGER NOT NULL, snr REAL,
    lastRxTime INTEGER, timestamp INTEGER NOT NULL, createdAt INTEGER NOT NULL
"""
CHANNELS = """
    name TEXT NOT NULL, psk TEXT, role INTEGER, uplinkEnabled INTEGER NOT NULL DEFAULT 1,
    downlinkEnabled INTEGER NOT NULL DEFAULT 1, positionPrecision INTEGER, createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL
"""
SHARED = """
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, createdAt INTEGER NOT NULL,
        updatedAt INTEGER NOT NULL);
    CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT UNIQUE NOT NULL, password_hash TEXT);
    CREATE TABLE api_tokens (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, token_hash TEXT NOT NULL);
    CREATE TABLE packet_log (id INTEGER PRIMARY KEY AUTOINCREMENT, packet_id INTEGER, timestamp INTEGER NOT NULL,
        from_node INTEGER NOT NULL, portnum INTEGER NOT NULL, encrypted INTEGER NOT NULL);
    CREATE TABLE channel_database (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, psk TEXT NOT NULL,
        psk_length INTEGER NOT NULL, description TEXT, is_enabled INTEGER NOT NULL DEFAULT 1,
        enforce_name_validation INTEGER NOT NULL DEFAULT 0, decrypted_packet_count INTEGER NOT NULL DEFAULT 0,
        last_decrypted_at INTEGER, created_by INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE a_table_of_tomorrow (id INTEGER PRIMARY KEY, text TEXT);
"""
# One radio, and nobody speaks of sources.
THREE = SHARED + f"""
    CREATE TABLE nodes (nodeNum INTEGER PRIMARY KEY, nodeId TEXT UNIQUE NOT NULL, {NODES},
        createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL);
    CREATE TABLE messages ({MESSAGES});
    CREATE TABLE telemetry ({TELEMETRY});
    CREATE TABLE traceroutes ({TRACEROUTES});
    CREATE TABLE neighbor_info ({NEIGHBORS});
    CREATE TABLE channels (id INTEGER PRIMARY KEY, {CHANNELS});
    CREATE TABLE ignored_nodes (nodeNum INTEGER PRIMARY KEY, nodeId TEXT NOT NULL, longName TEXT, shortName TEXT,
        ignoredAt INTEGER NOT NULL, ignoredBy TEXT);
"""
FOUR = SHARED + f"""
    CREATE TABLE sources (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, config TEXT NOT NULL,
        enabled INTEGER NOT NULL DEFAULT 1, displayOrder INTEGER NOT NULL DEFAULT 0, createdAt INTEGER NOT NULL,
        updatedAt INTEGER NOT NULL, createdBy INTEGER);
    CREATE TABLE nodes (nodeNum INTEGER NOT NULL, nodeId TEXT NOT NULL, {NODES}, transportMechanism INTEGER,
        transportLastRf INTEGER, positionLocationSource INTEGER, isUnmessagable INTEGER, notes TEXT,
        createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, sourceId TEXT NOT NULL,
        PRIMARY KEY (nodeNum, sourceId));
    CREATE TABLE messages ({MESSAGES}, viaStoreForward INTEGER, routingErrorCode INTEGER, xeddsaSigned INTEGER,
        sourceId TEXT, spoofSuspected INTEGER);
    CREATE TABLE telemetry ({TELEMETRY}, rxSnr REAL, hopStart INTEGER, hopLimit INTEGER, sourceId TEXT);
    CREATE TABLE traceroutes ({TRACEROUTES}, channel INTEGER, packetId INTEGER, sourceId TEXT);
    CREATE TABLE neighbor_info ({NEIGHBORS}, sourceId TEXT);
    CREATE TABLE channels (pk INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL, {CHANNELS}, sourceId TEXT,
        UNIQUE (sourceId, id));
    CREATE TABLE ignored_nodes (nodeNum INTEGER NOT NULL, sourceId TEXT NOT NULL, nodeId TEXT NOT NULL,
        longName TEXT, shortName TEXT, ignoredAt INTEGER NOT NULL, ignoredBy TEXT, PRIMARY KEY (nodeNum, sourceId));
    CREATE TABLE waypoints (source_id TEXT NOT NULL, waypoint_id INTEGER NOT NULL, owner_node_num INTEGER,
        latitude REAL NOT NULL, longitude REAL NOT NULL, expire_at INTEGER, locked_to INTEGER,
        name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', icon_codepoint INTEGER,
        first_seen_at INTEGER NOT NULL, last_updated_at INTEGER NOT NULL, PRIMARY KEY (source_id, waypoint_id));
"""
