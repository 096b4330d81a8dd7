
// One node: what one wants to know first, what can be asked of it, and how its values went.

function nodeView({ mesh, rest }) {
  const nodeId = rest[0];
  const heading = el("h1", { tabindex: "-1" }, bdi(mesh.longName(nodeId)));
  const sentence = el("p.lead");
  const actions = el("div.row.wrap.actions");
  const asked = el("ul.asked", { role: "status" });
  const facts = el("div");
  const key = el("div");
  const path = `nodes/${id(nodeId)}`;
  const known = { node: mesh.nodes.get(nodeId), key: null, reach: null, snr: [] };
  const isSelf = () => nodeId === mesh.self;
  const asking = requests(mesh, nodeId, asked);

  function redraw() {
    const { node } = known;
    if (!node) return;
    heading.replaceChildren(bdi(mesh.longName(nodeId)));
    sentence.replaceChildren(...sentenceOf(mesh, known));
    actions.replaceChildren(...nodeActions(mesh, known, isSelf(), asking, load));
    facts.replaceChildren(nodeFacts(mesh, node));
  }

  async function load() {
    mesh.names().then(redraw, () => {});
    try {
      known.node = await get(mesh, path);
      mesh.hearNode({ nodeId, longName: known.node.longName, shortName: known.node.shortName, nickname: known.node.nickname });
      redraw();
    } catch (error) {
      sentence.replaceChildren(...reasons(error));
      return;
    }
    const day = `api/telemetry/${id(nodeId)}?sourceId=${id(mesh.id)}&hours=24`;
    const found = await Promise.allSettled([get(mesh, `${path}/key`), get(mesh, `messages?conversation=${id(`direct:${nodeId}`)}&limit=20`), ask(day)]);
    const [itsKey, texts, values] = found.map((one) => one.value);
    known.key = itsKey;
    known.reach = texts?.find((row) => isOwn(row) && ["confirmed", "failed"].includes(row.deliveryState))?.deliveryState;
    known.snr = (values ?? []).filter((row) => row.telemetryType === "snr_local").map((row) => [row.timestamp, row.value]).reverse();
    redraw();
    key.replaceChildren(...(itsKey ? keyCard(mesh, nodeId, itsKey) : []));
  }

  return {
    title: mesh.longName(nodeId),
    node: page("", views.link(mesh, "n"), sentence, actions, asked,
      el("div.cards", null, facts, key, notesCard(mesh, nodeId, known)), charts(mesh, nodeId), routesCard(mesh, nodeId), packetsCard(mesh, nodeId)),
    begin() {
      find("h1", this.node).replaceWith(heading);
      load();
    },
    again: load,
    hear(kind, data) {
      if (kind === "node" && data.nodeId === nodeId) {
        known.node = { ...known.node, ...data };
        redraw();
      }
      asking.hear(kind, data);
    },
    leave: () => asking.leave(),
  };
}

/** "Heard directly 4 min ago, signal good and rising, key verified; messages reach it." */
function sentenceOf(mesh, { node, key, reach, snr }) {
  if (node.nodeId === mesh.self) return [say("ownNode")];
  const at = node.lastHeard * 1000;
  const parts = [];
  if (!isTime(at)) parts.push(say("neverHeard"));
  else parts.push(node.viaMqtt ? say("heardMqtt", { when: ago(at) }) : node.hopsAway === 0 ? say("heardDirect", { when: ago(at) })
    : say("heardOver", { when: ago(at), hops: hopsText(node.hopsAway) }));
  if (node.hopsAway === 0 && Number.isFinite(node.snr)) parts.push(say("signalIs", { grade: say(quality(node.snr)), trend: snr.length > 3 ? say(`and_${trend(snr)}`) : "" }));
  if (node.keyMismatchDetected) parts.push(say("keyDoubtSentence"));
  else if (key?.verified || key?.isVerified || key?.state === "verified") parts.push(say("keyVerified"));
  else parts.push(say(node.hasPKC ? "keyKnown" : "keyUnknown"));
  const text = parts.join(", ");
  const end = node.isUnmessagable ? say("nobodyReadsIt") : reach === "confirmed" ? say("messagesReach") : reach === "failed" ? say("messagesFail") : "";
  return [`${text}${end ? `; ${end}` : ""}.`];
}

function nodeActions(mesh, { node }, isSelf, asking, reload) {
  const { nodeId } = node;
  const mark = (word, key, isSet) => el("button", {
    type: "button", "aria-pressed": String(isSet),
    click: () => attempt(async () => {
      await ask(`api/nodes/${id(nodeId)}/${word}`, { method: "POST", body: { [key]: !isSet, sourceId: mesh.id } });
      mesh.hearNode({ nodeId, [key]: !isSet });
      await reload();
    }),
  }, word === "favorite" ? icon("star") : null, say(word === "favorite" ? (isSet ? "isFavourite" : "makeFavourite") : (isSet ? "isIgnored" : "ignore")));
  const places = hasPlace(node) && el("a.button", { href: `${views.link(mesh, "map")}?n=${id(nodeId)}`, class: "button" }, icon("map"), say("onTheMap"));
  if (isSelf) return [places, el("a.button", { href: views.link(mesh, "radio"), class: "button" }, say("myRadio"))].filter(Boolean);
  return [
    el("a.button.main", { href: views.link(mesh, "c", `direct:${nodeId}`), class: "button main" }, icon("chats"), say("writeTo")),
    el("button", { type: "button", click: () => asking.route() }, say("traceRoute")),
    askMenu(asking), places, mark("favorite", "isFavorite", node.isFavorite === true), mark("ignored", "isIgnored", node.isIgnored === true),
    el("button", { type: "button", click: () => showContact(mesh, nodeId) }, say("contactCode")),
  ].filter(Boolean);
}

const telemetryKinds = ["device", "environment", "airQuality", "power", "localStats"];

function askMenu(asking) {
  const list = el("div.menu", { role: "menu", popover: "auto" });
  const button = el("button", {
    type: "button", "aria-haspopup": "menu",
    click: () => openMenu(list, button, [
      [say("askPosition"), () => asking.ask("request-position", "position")], [say("askNodeInfo"), () => asking.ask("request-nodeinfo", "node")],
      [say("askNeighbors"), () => asking.ask("request-neighbors", "neighbors")],
      ...telemetryKinds.map((kind) => [say(`ask_${kind}`), () => asking.ask("request-telemetry", "telemetry", { kind: telemetryWord[kind] ?? kind })]),
    ]),
  }, say("askIt"));
  return el("span.anchor", null, button, list);
}

const telemetryWord = { airQuality: "air-quality", localStats: "local-stats" };

/** What has been asked of a node: it waits until the answer comes, or two minutes are over. */
function requests(mesh, nodeId, list) {
  const waiting = new Map();
  const redraw = () => {
    list.replaceChildren(...[...waiting].map(([, one]) => el("li", { class: one.state }, `${say(`asked_${one.event}`)}: `,
      one.state === "waiting" ? say("askedWaiting", { when: Math.round((Date.now() - one.at) / 1000) }) : say(one.state === "over" ? "askedOver" : "askedAnswered"))));
  };
  // Seconds that pass are no request.
  const clock = setInterval(() => {
    let isWaiting = false;
    for (const one of waiting.values()) {
      if (one.state !== "waiting") continue;
      isWaiting = true;
      if (Date.now() - one.at > 120000) one.state = "over";
    }
    if (isWaiting) redraw();
  }, 1000);
  return {
    async ask(path, event, more = {}) {
      await attempt(async () => {
        await post(mesh, `actions/${path}`, { destination: nodeId, ...more });
        waiting.set(event, { event, at: Date.now(), state: "waiting" });
        redraw();
      });
    },
    route() {
      const channels = [...mesh.conversations.values()].filter((row) => row.id.startsWith("channel:"));
      const choice = el("select", { id: "route-channel" }, el("option", { value: "" }, say("usualChannel")), channels.map((row) => el("option", { value: row.id.slice(8) }, row.name)));
      const box = dialog(say("traceRoute"), el("p", null, say("traceLong")), el("label", { for: "route-channel" }, say("channel")), choice,
        el("button.main", {
          type: "button",
          click: () => {
            box.close();
            this.ask("traceroute", "traceroute", choice.value === "" ? {} : { channel: Number(choice.value) });
          },
        }, say("traceRoute")));
    },
    hear(kind, data) {
      const one = waiting.get(kind === "traceroute" && data.route === null ? "" : kind);
      const who = data.nodeId ?? data.fromNodeId;
      if (!one || one.state !== "waiting" || (kind === "traceroute" ? data.toNodeId !== nodeId && data.fromNodeId !== nodeId : who !== nodeId)) return;
      one.state = "answered";
      redraw();
    },
    leave: () => clearInterval(clock),
  };
}

function nodeFacts(mesh, node) {
  const facts = [
    ["id", el("code", null, node.nodeId)], ["shortName", node.shortName && bdi(node.shortName)], ["role", roleName(node.role)], ["heard", isTime(node.lastHeard * 1000) ? dateAndTime(node.lastHeard * 1000) : say("never")],
    ["way", hopsText(node.hopsAway)], ["signal", node.hopsAway === 0 && Number.isFinite(node.snr) ? signal(node.snr) : null],
    ["battery", battery(node.batteryLevel)], ["voltage", node.voltage && `${number(node.voltage, 2)} V`], ["channelUse", node.channelUtilization !== null && node.channelUtilization !== undefined && `${number(node.channelUtilization)} %`],
    ["airTime", node.airUtilTx !== null && node.airUtilTx !== undefined && `${number(node.airUtilTx)} %`],
    ["uptime", node.uptimeSeconds && say("days", { n: number(node.uptimeSeconds / 86400) })],
    ["place", hasPlace(node) && [`${number(node.latitude, 5)}, ${number(node.longitude, 5)}`, node.altitude ? `, ${distance(node.altitude)}` : "", el("p.faint", null, isTime(node.positionTimestamp) ? say("placeFrom", { when: ago(node.positionTimestamp) }) : "")]],
    ["firmware", node.firmwareVersion && bdi(node.firmwareVersion)], ["status", node.nodeStatus && bdi(node.nodeStatus)], ["firstHeard", dateAndTime(node.createdAt)],
  ].filter((fact) => fact[1]);
  return el("section.card", null, el("h2", null, say("facts")), factList(facts));
}

function keyCard(mesh, nodeId, key) {
  const words = key.words ?? key.fingerprint ?? [];
  return [el("section.card", { class: key.doubt || key.state === "mismatch" ? "card problem" : "card" }, el("h2", null, say("key")),
    words.length ? [el("p", null, say("compareWords")), el("p.words", null, [words].flat().join(" "))] : el("p", null, say("keyUnknownLong")),
    key.advice && el("p", { lang: "en" }, key.advice), key.command && copyable(key.command),
    (key.history ?? []).length > 0 && el("details", null, el("summary", null, say("keyHistory")), el("ul", null, key.history.map((one) => el("li", null,
      `${dateAndTime(one.at ?? one.since)}: `, one.what ?? one.words ?? one.state ?? "")))))];
}

function notesCard(mesh, nodeId, known) {
  const nickname = el("input", { id: "nickname", maxlength: "64" });
  const notes = el("textarea", { id: "notes", rows: "3", maxlength: "2000" });
  const card = el("form.card", {
    submit: (event) => {
      event.preventDefault();
      attempt(async () => {
        await ask(at(mesh, `nodes/${id(nodeId)}`), { method: "PATCH", body: { nickname: nickname.value.trim() || null, notes: notes.value.trim() || null } });
        mesh.hearNode({ nodeId, nickname: nickname.value.trim() || null });
        toast(say("stored"));
      });
    },
  }, el("h2", null, say("ownNotes")), el("label", { for: "nickname" }, say("nickname")), nickname, el("label", { for: "notes" }, say("notes")), notes,
  el("button", { type: "submit" }, say("store")));
  card.addEventListener("focusin", () => { card.dataset.touched = "true"; });
  const fillIn = setInterval(() => {
    if (!known.node || !("createdAt" in known.node)) { if (!card.isConnected) clearInterval(fillIn); return; }
    clearInterval(fillIn);
    if (card.dataset.touched) return;
    nickname.value = known.node.nickname ?? "";
    notes.value = known.node.notes ?? "";
  }, 100);
  return card;
}

/** Past routes, both ways, with the signal of each leap. */
function routesCard(mesh, nodeId) {
  const box = later(async () => {
    if (!mesh.self) await mesh.loadStatus();
    const [a, b] = [mesh.self, nodeId].map((one) => parseInt(one.slice(1), 16));
    const rows = await ask(`api/traceroutes/history/${a}/${b}?sourceId=${id(mesh.id)}&limit=20`);
    return rows.length ? el("ul.routes", null, rows.map((row) => el("li", null, el("p.faint", null, dateAndTime(row.timestamp)), routeLine(mesh, row)))) : el("p.faint", null, say("noRoutes"));
  });
  return el("details.card", null, el("summary", null, el("h2", null, say("pastRoutes"))), box);
}

function routeLine(mesh, row) {
  if (row.route === null) return el("p", null, say("routeUnanswered"));
  const way = (from, hops, to, snr) => el("p", null, [from, ...hops, to].flatMap((one, place) => {
    const name = typeof one === "number" ? one === 0xffffffff ? say("unnamed") : `!${one.toString(16).padStart(8, "0")}` : one;
    return [place ? el("span.faint", null, ` → ${Number.isFinite(snr[place - 1]) && snr[place - 1] !== -128 ? `(${decibels(snr[place - 1] / 4)}) ` : ""}`) : "", bdi(mesh.longName(name))];
  }));
  const [route, back, towards, snrBack] = [row.route, row.routeBack, row.snrTowards, row.snrBack].map((text) => JSON.parse(text ?? "[]"));
  return [way(row.fromNodeId, route, row.toNodeId, towards), (back.length > 0 || snrBack.length > 0) && way(row.toNodeId, back, row.fromNodeId, snrBack)].filter(Boolean);
}

function packetsCard(mesh, nodeId) {
  return el("p", null, el("a", { href: `${views.link(mesh, "packets")}?node=${id(nodeId)}` }, say("itsPackets")), " · ",
    el("a", { href: `${views.link(mesh, "links")}?node=${id(nodeId)}` }, say("itsLinks")));
}

/** The code that Meshtastic's apps scan to add a contact. */
function showContact(mesh, nodeId) {
  dialog(say("contactCode"), later(async () => {
    const node = await get(mesh, `nodes/${id(nodeId)}`);
    const url = node.contactUrl ?? contactURL(node);
    return [el("p", null, bdi(node.longName)), qrPicture(url, say("contactCode")), copyable(url)];
  }));
}
