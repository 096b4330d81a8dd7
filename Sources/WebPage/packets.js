
// What is on the air: packets as they come, and what each byte of one means.

kinds.packets = (place) => (place.rest[0] ? packetView(place) : packetsView(place));

const ports = { TEXT_MESSAGE_APP: "portText", POSITION_APP: "portPosition", NODEINFO_APP: "portNodeInfo", TELEMETRY_APP: "portTelemetry", ROUTING_APP: "portRouting",
  TRACEROUTE_APP: "portTraceroute", NEIGHBORINFO_APP: "portNeighbors", WAYPOINT_APP: "portWaypoint" };

function packetsView({ mesh, query }) {
  const state = { rows: [], isPaused: false, held: 0, word: "", kind: "" };
  const node = query.get("node"), packet = Number(query.get("packet")) || null;
  const body = el("tbody");
  const count = el("p.faint", { role: "status" });
  const pause = el("button", { type: "button", "aria-pressed": "false", click: () => {
    state.isPaused = !state.isPaused;
    pause.setAttribute("aria-pressed", String(state.isPaused));
    pause.textContent = say(state.isPaused ? "goOn" : "pause");
    redraw();
  } }, say("pause"));
  const field = el("input", { type: "search", "aria-label": say("filterPackets"), placeholder: say("filterPackets"), input: () => { state.word = field.value.toLowerCase(); redraw(); } });
  const choice = el("select", { "aria-label": say("kind"), change: () => { state.kind = choice.value; redraw(); } },
    el("option", { value: "" }, say("allKinds")), Object.entries(ports).map(([port, word]) => el("option", { value: port }, say(word))));
  const known = new Map();
  const numberOf = node && parseInt(node.slice(1), 16);
  const fits = (row) => (!node || row.from_node === numberOf || row.to_node === numberOf) && (!packet || row.packet_id === packet)
    && (!state.kind || row.portnum_name === state.kind)
    && (!state.word || `${row.from_node_longName} ${row.to_node_longName} ${row.from_node_id} ${row.portnum_name} ${row.payload_preview}`.toLowerCase().includes(state.word));

  function line(row) {
    if (!known.has(row.id)) known.set(row.id, el("tr", null,
      el("td", null, el("a", { href: views.link(mesh, "packets", row.id) }, timeOfDay(row.timestamp))),
      el("td", null, bdi(row.direction === "tx" ? say("you") : row.from_node_longName ?? row.from_node_id), el("span.faint", null, " → "), bdi(row.to_node === 0xffffffff ? say("everybody") : row.to_node_longName ?? row.to_node_id)),
      el("td", null, ports[row.portnum_name] ? say(ports[row.portnum_name]) : row.encrypted ? say("encrypted") : row.portnum_name),
      el("td.preview", null, bdi(row.payload_preview ?? "")),
      el("td", null, row.direction === "tx" ? say("sent") : row.hop_start ? (row.hop_start === row.hop_limit && Number.isFinite(row.snr) ? decibels(row.snr) : hopsText(row.hop_start - row.hop_limit)) : "")));
    return known.get(row.id);
  }

  function redraw() {
    if (state.isPaused) {
      count.textContent = say("pausedWith", { n: state.held });
      return;
    }
    state.held = 0;
    const rows = state.rows.filter(fits);
    count.textContent = say("packetsShown", { n: rows.length });
    sync(body, rows.slice(0, 200).map(line));
  }
  const slowly = settled(redraw, 300);

  return {
    title: say("packets"),
    node: page(say("packets"), views.link(mesh, "more"), node && el("p", null, say("onlyOf"), " ", nodeLink(mesh, node), " · ", el("a", { href: views.link(mesh, "packets") }, say("showAll"))),
      el("div.row.wrap", null, el("div.search", null, icon("search"), field), choice, pause), count,
      el("div.scroll", { tabindex: "0", role: "region", "aria-label": say("packets") }, el("table.packets", null, el("caption.out", null, say("packets")),
        el("thead", null, el("tr", null, ["time", "fromTo", "kind", "content", "way"].map((key) => el("th", { scope: "col" }, say(key))))), body))),
    async begin() {
      try {
        const parameters = node ? `&from_node=${numberOf}` : "";
        state.rows = await get(mesh, `packets?limit=${packet ? 1000 : 200}${parameters}`);
        redraw();
        if (packet && state.rows.filter(fits).length === 0) count.textContent = say("packetGone");
      } catch (error) { count.replaceChildren(...reasons(error)); }
      if (!live.wantsPackets) {
        live.wantsPackets = true;
        live.again();
      }
    },
    again() { this.begin(); },
    hear(kind, data) {
      if (kind !== "packet" || state.rows.some((row) => row.id === data.id)) return;
      state.rows.unshift(data);
      state.rows.length = Math.min(state.rows.length, 1000);
      state.held += 1;
      slowly();
    },
    leave() {
      live.wantsPackets = false;
      live.again();
    },
  };
}

/** One packet: how it came, how long it was on the air, and its bytes with their meaning. */
function packetView({ mesh, rest }) {
  const path = `packets/${id(rest[0])}`;
  return {
    title: say("packet"),
    node: page(say("packet"), views.link(mesh, "packets"), later(async () => {
      const [row, explained] = await Promise.all([get(mesh, path), get(mesh, `${path}/explain`)]);
      const { airtime, hops } = explained;
      return [el("section.card", null, factList([
        ["from", nodeLink(mesh, row.from_node_id)], ["to", row.to_node === 0xffffffff ? say("everybody") : nodeLink(mesh, row.to_node_id)], ["kind", row.portnum_name], ["cameAt", dateAndTime(row.timestamp)],
        ["channel", String(row.channel)], ["content", bdi(row.payload_preview ?? "")], ["way", hops?.away === undefined ? "" : hopsText(hops.away)],
        Number.isFinite(row.snr) && ["signal", signal(row.snr)], row.rssi && ["rssi", `${row.rssi} dBm`],
        hops?.relayCandidates?.length > 0 && ["relay", hops.relayCandidates.map((one, place) => [place ? ", " : "", nodeLink(mesh, one.nodeId)])],
        airtime && ["onAir", `${number(airtime.milliseconds)} ms, ${say("bytesN", { n: airtime.bytes })}, ${airtime.preset}`], ["packet", row.packet_id ? `!${row.packet_id.toString(16).padStart(8, "0")}` : ""],
      ].filter((fact) => fact && fact[1]))),
      el("h2", null, say("bytes")),
      el("div.scroll", { tabindex: "0", role: "region", "aria-label": say("bytes") }, el("table.bytes", null, el("caption.out", null, say("bytes")),
        el("thead", null, el("tr", null, ["place", "field", "value", "bytes"].map((key) => el("th", { scope: "col" }, say(key))))),
        el("tbody", null, (explained.fields ?? []).map((one) => el("tr", null, el("td", null, String(one.offset)), el("td", { "--depth": one.depth }, el("span.indent"), one.name ?? `#${one.number}`),
          el("td", null, bdi(one.isHidden ? say("hidden") : one.value ?? "")), el("td", null, el("code", null, one.hex ?? ""))))))) ];
    })),
  };
}
