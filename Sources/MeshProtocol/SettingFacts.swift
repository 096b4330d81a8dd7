/// What is known of a setting besides its type: within what it lies, in which unit it is, since when there is it, and what it is
/// for. What is not known is nil.
public struct SettingFacts: Hashable, Sendable {
    /// The least and the greatest that the radio takes.
    public var least: Int64?
    public var greatest: Int64?
    public var unit: String?
    /// The first firmware that has it, of those whose definitions were compared; nil: 2.3 has it.
    public var since: String?
    /// A sentence for a person.
    public var help: String?

    static let none = SettingFacts()

    /// - Parameter path: of a list of messages without the place in it, such as `remote_hardware.available_pins[].name`.
    static func of(_ path: String) -> SettingFacts { all[path] ?? .none }

    /// Of which something is known.
    static var paths: Set<String> { Set(all.keys) }

    private static let all: [String: SettingFacts] = {
        var all: [String: SettingFacts] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 5)
            let known = words.map { $0 == "-" ? nil : String($0) }
            all[String(words[0])] = SettingFacts(
                least: known[1].flatMap { Int64($0) }, greatest: known[2].flatMap { Int64($0) }, unit: known[3],
                since: known[4], help: known.count > 5 ? known[5] : nil)
        }
        return all
    }()

    // Path, least, greatest, unit, since, help. Bounds are those of the firmware's memory (nanopb's int_size) and of its checks.
    private static let table = """
        owner.long_name - - - - The name that others see in their lists; at most 39 bytes, 24 from firmware 2.8 on
        owner.short_name - - - - Up to four characters that others see on their maps
        owner.is_licensed - - - - For licensed amateur radio: nothing is encrypted
        owner.public_key - - - 2.5.20
        owner.is_unmessagable - - - 2.6.11 Nobody reads messages here; apps then offer no way to write one
        device.role - - - - What the radio does for others: CLIENT in almost every case; a ROUTER repeats every packet and belongs on a mountain
        device.rebroadcast_mode - - - - Whose packets the radio repeats
        device.node_info_broadcast_secs - - s - How often the radio tells its names and key; 0 is three hours
        device.tzdef - - - - The time zone of its screen, as POSIX writes it, such as CET-1CEST,M3.5.0,M10.5.0/3
        device.buzzer_mode - - - 2.6.11
        position.position_broadcast_secs - - s - How often the radio tells where it is, if it moves little; 0 is 15 minutes, and firmware may keep a longer time
        position.position_broadcast_smart_enabled - - - - It tells where it is sooner when it moves
        position.fixed_position - - - - It stays at a place that somebody has set, and asks no GPS
        position.gps_update_interval - - s -
        position.gps_attempt_time - - s -
        position.broadcast_smart_minimum_distance - - m -
        position.broadcast_smart_minimum_interval_secs - - s -
        position.gps_mode - - - - Whether its GPS is used
        power.is_power_saving - - - - It sleeps whenever it can, and is not reached over USB then
        power.on_battery_shutdown_after_secs - - s -
        power.wait_bluetooth_secs - - s -
        power.sds_secs - - s -
        power.ls_secs - - s -
        power.min_wake_secs - - s -
        power.device_battery_ina_address 0 255 - -
        network.wifi_ssid - - - - The name of the wireless network that it joins
        network.enabled_protocols - - - 2.5.20
        network.ipv6_enabled - - - 2.6.11
        display.screen_on_secs - - s -
        display.auto_screen_carousel_secs - - s -
        display.use_12h_clock - - - 2.6.11
        display.use_long_node_name - - - 2.7.15
        display.enable_message_bubbles - - - 2.7.26
        lora.use_preset - - - - The modem is set as modem_preset says; otherwise by bandwidth, spread_factor and coding_rate
        lora.modem_preset - - - - Speed against range. Only radios with the same one hear each other; LONG_FAST is what most meshes use
        lora.bandwidth 0 65535 kHz -
        lora.spread_factor 0 12 - -
        lora.coding_rate 0 8 - -
        lora.frequency_offset - - MHz -
        lora.region - - - - The country or area where the radio is: its frequencies and how long it may send. Without one it does not send at all
        lora.hop_limit 0 7 - - How many others may repeat what it sends, 3 for almost every mesh; 0 is 3 as well
        lora.tx_enabled - - - - It may send
        lora.tx_power -128 127 dBm - 0 is as much as the region allows
        lora.channel_num 0 65535 - - The slot in the band of the region; 0 is chosen by the name of the primary channel
        lora.override_duty_cycle - - - - It sends longer than the region allows, which is forbidden in most of them
        lora.override_frequency 0 - MHz -
        lora.pa_fan_disabled - - - 2.4.3
        lora.ignore_mqtt - - - - It drops packets that came over the internet
        lora.config_ok_to_mqtt - - - 2.5.20 Others may hand its packets to the internet
        lora.fem_lna_mode - - - 2.7.26
        lora.serial_hal_only - - - 2.7.26
        bluetooth.mode - - - - How a phone proves that it may connect
        bluetooth.fixed_pin 0 999999 - - Six digits, asked for when a phone connects
        security.public_key - - - 2.5.20
        security.private_key - - - 2.5.20
        security.admin_key - - - 2.5.20 Public keys of up to three administrators, who may change this radio over the mesh
        security.is_managed - - - 2.5.20 Only a remote administrator changes its settings; its ports and apps cannot
        security.serial_enabled - - - 2.5.20 It answers on its USB port
        security.debug_log_api_enabled - - - 2.5.20
        security.admin_channel_enabled - - - 2.5.20
        security.packet_signature_policy - - - 2.8.0
        mqtt.enabled - - - - It connects to an MQTT broker by itself
        mqtt.encryption_enabled - - - - What it gives to the broker stays encrypted
        mqtt.map_report_settings.publish_interval_secs - - s -
        mqtt.map_report_settings.position_precision 0 32 - -
        mqtt.map_report_settings.should_report_location - - - 2.6.11
        serial.timeout - - ms -
        external_notification.output_ms - - ms -
        external_notification.output_vibra 0 255 - -
        external_notification.output_buzzer 0 255 - -
        external_notification.nag_timeout 0 65535 s -
        store_forward.history_return_window - - min -
        store_forward.is_server - - - 2.4.3
        range_test.sender - - s -
        range_test.clear_on_reboot - - - 2.7.15
        telemetry.device_update_interval - - s - How often it tells its battery and how busy its channel is; 0 is 30 minutes
        telemetry.environment_update_interval - - s -
        telemetry.air_quality_interval - - s -
        telemetry.power_update_interval - - s -
        telemetry.health_measurement_enabled - - - 2.5.20
        telemetry.health_update_interval - - s 2.5.20
        telemetry.health_screen_enabled - - - 2.5.20
        telemetry.device_telemetry_enabled - - - 2.7.15
        telemetry.air_quality_screen_enabled - - - 2.7.26
        audio.ptt_pin 0 255 - -
        audio.i2s_ws 0 255 - -
        audio.i2s_sd 0 255 - -
        audio.i2s_din 0 255 - -
        audio.i2s_sck 0 255 - -
        remote_hardware.available_pins[].gpio_pin 0 255 - -
        neighbor_info.enabled - - - - It tells which nodes it hears directly
        neighbor_info.update_interval - - s -
        neighbor_info.transmit_over_lora - - - 2.5.20
        ambient_lighting.current 0 255 mA -
        ambient_lighting.red 0 255 - -
        ambient_lighting.green 0 255 - -
        ambient_lighting.blue 0 255 - -
        detection_sensor.minimum_broadcast_secs - - s -
        detection_sensor.state_broadcast_secs - - s -
        detection_sensor.monitor_pin 0 255 - -
        detection_sensor.detection_trigger_type - - - 2.5.20
        paxcounter.paxcounter_update_interval - - s -
        paxcounter.wifi_threshold - - dBm -
        paxcounter.ble_threshold - - dBm -
        statusmessage.node_status - - - 2.7.26
        traffic_management.position_min_interval_secs - - s 2.7.26
        traffic_management.nodeinfo_direct_response_max_hops 0 7 - 2.7.26
        traffic_management.rate_limit_window_secs - - s 2.7.26
        traffic_management.rate_limit_max_packets - - - 2.7.26
        traffic_management.unknown_packet_threshold - - - 2.7.26
        tak.team - - - 2.7.26
        tak.role - - - 2.7.26
        mesh_beacon.flags - - - 2.8.0
        mesh_beacon.broadcast_send_as_node - - - 2.8.0
        mesh_beacon.broadcast_message - - - 2.8.0
        mesh_beacon.broadcast_offer_channel.module_settings.position_precision 0 32 - -
        mesh_beacon.broadcast_offer_channel.module_settings.is_muted - - - 2.7.15
        mesh_beacon.broadcast_offer_region - - - 2.8.0
        mesh_beacon.broadcast_offer_preset - - - 2.8.0
        mesh_beacon.broadcast_on_channel.module_settings.position_precision 0 32 - -
        mesh_beacon.broadcast_on_channel.module_settings.is_muted - - - 2.7.15
        mesh_beacon.broadcast_on_region - - - 2.8.0
        mesh_beacon.broadcast_on_preset - - - 2.8.0
        mesh_beacon.broadcast_interval_secs - - s 2.8.0
        mesh_beacon.broadcast_targets[].preset - - - 2.8.0
        mesh_beacon.broadcast_targets[].region - - - 2.8.0
        mesh_beacon.broadcast_targets[].channel_index 0 7 - 2.8.0
        """
}
