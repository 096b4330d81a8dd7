// Firmware 2.8 repeats each node's last values after every handshake, and versions that wrote the first two formats took a
// repetition for a reading of its own when the node had been heard meanwhile.
//
// Removed is only what the packet log proves to be a repetition (from LoRa, without a signal strength, with the priority that
// firmware gives to it) and what says nothing but the node's reading before it. A value that a node really sent twice came
// over the air each time, and stays.

extension Schema {
    /// Deletes rows, and reports how many (``UpgradeObserver/removed(readings:)``).
    static let repeatedReadings = """
        DELETE FROM telemetry WHERE id IN (
            SELECT t.id FROM packets AS p CROSS JOIN telemetry AS t INDEXED BY telemetry_node
                ON t.node = (p.source << 32) + p.from_node AND t.at = p.at AND t.packet_id = p.packet_id
            WHERE \(isRepetition) AND (t.metrics, t.text) IS (
                SELECT b.metrics, b.text FROM telemetry AS b INDEXED BY telemetry_node
                WHERE b.node = t.node AND b.kind = t.kind AND b.at < t.at ORDER BY b.at DESC LIMIT 1));
        DELETE FROM positions WHERE id IN (
            SELECT t.id FROM packets AS p CROSS JOIN positions AS t INDEXED BY positions_node
                ON t.node = (p.source << 32) + p.from_node AND t.at = p.at AND t.packet_id = p.packet_id
            WHERE \(isRepetition)
                AND (t.latitude_i, t.longitude_i, t.altitude, t.time) IS (
                SELECT b.latitude_i, b.longitude_i, b.altitude, b.time
                FROM positions AS b INDEXED BY positions_node
                WHERE b.node = t.node AND b.at < t.at ORDER BY b.at DESC LIMIT 1));
        DELETE FROM node_statuses WHERE id IN (
            SELECT t.id FROM packets AS p CROSS JOIN node_statuses AS t INDEXED BY node_statuses_node
                ON t.node = (p.source << 32) + p.from_node AND t.at = p.at AND t.packet_id = p.packet_id
            WHERE \(isRepetition) AND t.text = (
                SELECT b.text FROM node_statuses AS b INDEXED BY node_statuses_node
                WHERE b.node = t.node AND b.at < t.at ORDER BY b.at DESC LIMIT 1));
        """

    /// Of a packet: MeshPacket.isReplay, as it was then.
    private static let isRepetition = """
        p.direction = 0 AND p.transport = 1 AND p.priority = 10 AND p.rx_rssi IS NULL AND p.via_mqtt = 0
        """

    /// A message that failed because nobody had a key put that key in doubt, for good: there was nothing to decide.
    static let baselessDoubts = """
        UPDATE nodes SET key_mismatch = 0, key_doubted_at = NULL
        WHERE key_mismatch AND public_key IS NULL AND announced_key IS NULL;
        """
}
