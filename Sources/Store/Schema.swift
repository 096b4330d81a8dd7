// How the tables are cut.
//
// 1. A node's key is one integer, source << 32 | number, and the rowid of its row: one B-tree, one page a change.
// 2. What comes in with every packet has as few indexes as can be: each costs about a page written a packet. The packet
//    log has none. Node rows are sorted when they are listed.
// 3. Messages are few, and pages of them are asked for with every filter: they have an index for each.
// 4. No foreign keys: sources are never deleted, a message may name a node that has no row (the broadcast address),
//    and each check would be a lookup an insert.
// 5. Times are host milliseconds, unless a column says seconds. Texts that SQL never looks into are JSON.

/// Steps from an empty file to the present format. Each runs in one transaction together with its number
/// (`user_version`). A released step is text that is never edited, made of nothing that later steps may change.
enum Schema {
    static let migrations: [String] = [
        first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth,
        thirteenth, fourteenth, fifteenth, sixteenth, seventeenth, eighteenth,
    ]

    /// The tables of which each step rewrites every row, or copies from: what a step needs in room.
    static let rewritten: [[String]] = [
        [], ["nodes"], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [],
    ]

    /// Those that get an index, with a small row for each of theirs.
    static let indexed: [[String]] = [
        [], [], [], [], ["messages"], [], [], [], [], [], [], [], [], [], [], [], ["firings"], [],
    ]

    /// What came with the channel database, acting on nodes, series of single values, several attempts at sending,
    /// several radios, keys that change, and keeping what fits.
    static let second = [
        channelDatabase, seriesDeletions, nodeColumns, nodeCounts, messageDeletions, readMarks, outboxColumns, attempts,
        sourceDevices, nodeKeys, messageRemovals, hostClock,
    ].joined(separator: "\n")

    /// What earlier versions took for true.
    static let third = [repeatedReadings, baselessDoubts].joined(separator: "\n")

    /// Who had a message sent, and what has changed since a listener was there last.
    static let fourth = [senders, changeLog].joined(separator: "\n")

    /// Conversations: where each one's messages are, up to which of them it is read, and by which token it is muted.
    static let fifth = [conversations, readMarkRows, conversationMutes].joined(separator: "\n")

    /// Nicknames and notes of nodes, and on which channel a waypoint is.
    static let sixth = [nodeNotes, waypointChannels].joined(separator: "\n")

    /// What firmware 2.8.1 tells: authenticated channels, proven acknowledgements, favourites that it refuses.
    static let seventh = [channelAuthentication, ackProofs, favoriteRefusals].joined(separator: "\n")

    /// What happened, internal readers' places, a row of changes a commit, and the grade of a node's link beside the node.
    static let eighth = [packedChanges, linkQuality, happened, cursors].joined(separator: "\n")

    /// What sends were answered, for clients that ask again; and who had something happen.
    static let ninth = [acceptedSends, happeningSenders].joined(separator: "\n")

    /// What rules tell.
    static let tenth = [feed, rules].joined(separator: "\n")

    /// What was published at brokers.
    static let eleventh = brokers

    /// What is on its way to targets.
    static let twelfth = dispatches

    /// How much a target has got lately.
    static let thirteenth = targetAllowances

    /// Who made a token.
    static let fourteenth = tokenMakers

    /// Conversations over brokers.
    static let fifteenth = brokerConversations

    /// Keys of conversations over brokers, and their bridges to channels.
    static let sixteenth = conversationKeys + "\n" + brokerBridges

    /// What rules have done.
    static let seventeenth = acts

    /// Who is told through push services.
    static let eighteenth = pushRegistrations

    static let first = """
        CREATE TABLE sources (
            id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, is_enabled INTEGER NOT NULL,
            created_at INTEGER NOT NULL, device_id TEXT, node_number INTEGER, firmware_version TEXT,
            use_preset INTEGER, modem_preset INTEGER, region INTEGER, hop_limit INTEGER, tx_enabled INTEGER
        ) STRICT;

        CREATE TABLE channels (
            source INTEGER NOT NULL, channel INTEGER NOT NULL, role INTEGER NOT NULL, name TEXT NOT NULL,
            psk BLOB NOT NULL, channel_id INTEGER NOT NULL, uplink INTEGER NOT NULL, downlink INTEGER NOT NULL,
            position_precision INTEGER, is_muted INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            PRIMARY KEY (source, channel)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE nodes (
            node INTEGER PRIMARY KEY, updated_at INTEGER NOT NULL, last_heard INTEGER, created_at INTEGER NOT NULL,
            long_name TEXT, short_name TEXT, hardware_model INTEGER, role INTEGER, mac_address BLOB, public_key BLOB,
            key_mismatch INTEGER NOT NULL, is_licensed INTEGER NOT NULL, is_unmessagable INTEGER NOT NULL,
            hops_away INTEGER, last_message_hops INTEGER, via_mqtt INTEGER, transport INTEGER,
            last_heard_rf INTEGER, last_heard_mqtt INTEGER, last_heard_udp INTEGER, snr REAL, rssi INTEGER,
            channel INTEGER, is_store_forward_server INTEGER, latitude REAL, longitude REAL, altitude INTEGER,
            position_timestamp INTEGER, position_channel INTEGER, position_precision_bits INTEGER,
            position_location_source INTEGER, battery_level INTEGER, voltage REAL, channel_utilization REAL,
            air_util_tx REAL, uptime_seconds INTEGER, firmware_version TEXT, reboot_count INTEGER,
            is_favorite INTEGER NOT NULL, is_ignored INTEGER NOT NULL, is_muted INTEGER NOT NULL,
            is_key_manually_verified INTEGER NOT NULL, has_xeddsa_signed INTEGER NOT NULL,
            status TEXT, status_updated_at INTEGER, last_pki_packet INTEGER,
            source INTEGER GENERATED ALWAYS AS (node >> 32) VIRTUAL,
            number INTEGER GENERATED ALWAYS AS (node & 4294967295) VIRTUAL
        ) STRICT;

        CREATE TABLE messages (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, from_node INTEGER NOT NULL, packet_id INTEGER NOT NULL,
            occurrence INTEGER NOT NULL, to_node INTEGER NOT NULL, channel INTEGER NOT NULL, text TEXT NOT NULL,
            port INTEGER NOT NULL, is_own INTEGER NOT NULL, timestamp INTEGER NOT NULL, rx_time INTEGER,
            hop_start INTEGER, hop_limit INTEGER, relay_node INTEGER, reply_id INTEGER, is_tapback INTEGER NOT NULL,
            via_mqtt INTEGER, via_store_forward INTEGER NOT NULL, xeddsa_signed INTEGER, rx_snr REAL, rx_rssi INTEGER,
            pki_encrypted INTEGER NOT NULL, spoof_suspected INTEGER NOT NULL, delivery INTEGER, error INTEGER,
            ack_from INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX messages_packet ON messages (source, packet_id, from_node, occurrence);
        CREATE INDEX messages_all ON messages (source, created_at);
        CREATE INDEX messages_channel ON messages (source, channel, created_at);
        CREATE INDEX messages_from ON messages (source, from_node, created_at);
        CREATE INDEX messages_to ON messages (source, to_node, created_at);
        CREATE INDEX messages_from_channel ON messages (source, from_node, channel, created_at);
        CREATE INDEX messages_from_to ON messages (source, from_node, to_node, created_at);
        CREATE INDEX messages_late ON messages (source, updated_at) WHERE updated_at - created_at > 600000;

        CREATE VIRTUAL TABLE message_search USING fts5 (
            text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
        );
        CREATE TABLE search_state (id INTEGER PRIMARY KEY CHECK (id = 1), indexed INTEGER NOT NULL) STRICT;
        INSERT INTO search_state VALUES (1, 0);

        CREATE TABLE packets (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, at INTEGER NOT NULL, direction INTEGER NOT NULL,
            from_node INTEGER NOT NULL, to_node INTEGER NOT NULL, packet_id INTEGER NOT NULL, channel INTEGER NOT NULL,
        port INTEGER, payload BLOB, encrypted BLOB, rx_time INTEGER, rx_snr REAL, rx_rssi INTEGER,
        hop_limit INTEGER NOT NULL, hop_start INTEGER NOT NULL, want_ack INTEGER NOT NULL, priority INTEGER NOT NULL,
        via_mqtt INTEGER NOT NULL, public_key BLOB, pki_encrypted INTEGER NOT NULL, next_hop INTEGER NOT NULL,
        relay_node INTEGER NOT NULL, transport INTEGER NOT NULL, xeddsa_signed INTEGER NOT NULL,
        delayed INTEGER NOT NULL, want_response INTEGER, dest INTEGER, source_node INTEGER, request_id INTEGER,
        reply_id INTEGER, emoji INTEGER, bitfield INTEGER, xeddsa_signature BLOB
        ) STRICT;

        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, message_id TEXT, kind TEXT NOT NULL,
            state INTEGER NOT NULL, attempts INTEGER NOT NULL, not_before INTEGER NOT NULL, expires_at INTEGER,
            created_at INTEGER NOT NULL,
            from_node INTEGER NOT NULL, to_node INTEGER NOT NULL, packet_id INTEGER NOT NULL, channel INTEGER NOT NULL,
        port INTEGER, payload BLOB, encrypted BLOB, rx_time INTEGER, rx_snr REAL, rx_rssi INTEGER,
        hop_limit INTEGER NOT NULL, hop_start INTEGER NOT NULL, want_ack INTEGER NOT NULL, priority INTEGER NOT NULL,
        via_mqtt INTEGER NOT NULL, public_key BLOB, pki_encrypted INTEGER NOT NULL, next_hop INTEGER NOT NULL,
        relay_node INTEGER NOT NULL, transport INTEGER NOT NULL, xeddsa_signed INTEGER NOT NULL,
        delayed INTEGER NOT NULL, want_response INTEGER, dest INTEGER, source_node INTEGER, request_id INTEGER,
        reply_id INTEGER, emoji INTEGER, bitfield INTEGER, xeddsa_signature BLOB
        ) STRICT;

        CREATE TABLE telemetry (
            id INTEGER PRIMARY KEY, node INTEGER NOT NULL, at INTEGER NOT NULL, packet_id INTEGER, channel INTEGER,
            rx_snr REAL, hop_start INTEGER, hop_limit INTEGER, kind INTEGER NOT NULL, time INTEGER,
            metrics TEXT NOT NULL, text TEXT
        ) STRICT;
        CREATE INDEX telemetry_node ON telemetry (node, at, kind, packet_id);

        CREATE TABLE positions (
            id INTEGER PRIMARY KEY, node INTEGER NOT NULL, at INTEGER NOT NULL, packet_id INTEGER, channel INTEGER,
            rx_snr REAL, hop_start INTEGER, hop_limit INTEGER, latitude_i INTEGER, longitude_i INTEGER,
            altitude INTEGER, time INTEGER, precision_bits INTEGER, ground_speed INTEGER, ground_track INTEGER,
            sats_in_view INTEGER, rare TEXT
        ) STRICT;
        CREATE INDEX positions_node ON positions (node, at, packet_id);

        CREATE TABLE paxcounts (
            id INTEGER PRIMARY KEY, node INTEGER NOT NULL, at INTEGER NOT NULL, packet_id INTEGER, channel INTEGER,
            rx_snr REAL, hop_start INTEGER, hop_limit INTEGER, wifi INTEGER NOT NULL, ble INTEGER NOT NULL,
            uptime INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX paxcounts_node ON paxcounts (node, at, packet_id);

        CREATE TABLE node_statuses (
            id INTEGER PRIMARY KEY, node INTEGER NOT NULL, at INTEGER NOT NULL, packet_id INTEGER, channel INTEGER,
            rx_snr REAL, hop_start INTEGER, hop_limit INTEGER, text TEXT NOT NULL
        ) STRICT;
        CREATE INDEX node_statuses_node ON node_statuses (node, at, packet_id);

        CREATE TABLE traceroutes (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, from_node INTEGER NOT NULL, to_node INTEGER NOT NULL,
            packet_id INTEGER, at INTEGER NOT NULL, answered_at INTEGER, answer_id INTEGER, route TEXT,
            snr_towards TEXT, route_back TEXT, snr_back TEXT
        ) STRICT;
        CREATE INDEX traceroutes_pair ON traceroutes (source, from_node, to_node);

        CREATE TABLE neighbor_reports (
            node INTEGER PRIMARY KEY, at INTEGER NOT NULL, last_sent_by INTEGER NOT NULL,
            broadcast_interval INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE neighbors (
            node INTEGER NOT NULL, place INTEGER NOT NULL, number INTEGER NOT NULL, snr REAL,
            last_rx_time INTEGER NOT NULL, broadcast_interval INTEGER NOT NULL, PRIMARY KEY (node, place)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE waypoints (
            source INTEGER NOT NULL, id INTEGER NOT NULL, from_node INTEGER NOT NULL, at INTEGER NOT NULL,
            latitude_i INTEGER, longitude_i INTEGER, expire INTEGER NOT NULL, locked_to INTEGER NOT NULL,
            name TEXT NOT NULL, description TEXT NOT NULL, icon INTEGER NOT NULL, geofence_radius INTEGER NOT NULL,
            west INTEGER, south INTEGER, east INTEGER, north INTEGER, notify_on_enter INTEGER NOT NULL,
            notify_on_exit INTEGER NOT NULL, notify_favorites_only INTEGER NOT NULL, PRIMARY KEY (source, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE notifications (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, at INTEGER NOT NULL, reply_id INTEGER,
            time INTEGER NOT NULL, level INTEGER NOT NULL, message TEXT NOT NULL
        ) STRICT;

        CREATE TABLE tokens (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash BLOB NOT NULL, prefix TEXT NOT NULL, scopes TEXT NOT NULL,
            created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at IS NULL;
        CREATE UNIQUE INDEX tokens_hash ON tokens (hash) WHERE revoked_at IS NULL;
        """
}
