
// A message as one sees it, and what can be done with it.

/** How far an own message has come: a sign, and words. */
const deliveries = {
  pending: ["◷", "onItsWay"], queued: ["◷", "queued"], handed: ["◷", "withRadio"], accepted: ["◷", "withRadio"],
  delivered: ["✓", "relayed"], relayed: ["✓", "relayed"], confirmed: ["✓✓", "received"], failed: ["!", "notDelivered"],
  unknown: ["?", "noReceipt"], uncertain: ["?", "uncertain"], expired: ["!", "expired"], cancelled: ["–", "cancelled"],
};

const deliveryKey = (row) => (deliveries[row.deliveryDetail] && row.deliveryState !== "confirmed" ? row.deliveryDetail : row.deliveryState);

function deliverySign(row) {
  const [sign, words] = deliveries[deliveryKey(row)] ?? [];
  if (!sign) return null;
  return el("span.delivery", { "data-state": deliveryKey(row), title: say(words) },
    el("span", { "aria-hidden": "true" }, sign), el("span.out", null, ` ${say(words)}`));
}

function deliveryWords(row) {
  const [sign, words] = deliveries[deliveryKey(row)] ?? [];
  if (!sign) return null;
  return el("span.delivery", { "data-state": deliveryKey(row) }, el("span", { "aria-hidden": "true" }, `${sign} `), say(words));
}

/** Links only to the web, with their host to be seen; everything else is text. */
function linked(text) {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/).map((part, place) => {
    if (place % 2 === 0) return part;
    try {
      const url = new URL(part);
      return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer", tabindex: "-1" }, part);
    } catch { return part; }
  });
}

const emojiOnly = (text) => /^(\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f|\s)+$/u.test(text) && [...text].length < 9;

/** How it came: directly with its signal, or over how many others. */
function reception(row) {
  if (isOwn(row)) return null;
  if (row.viaMqtt) return say("viaMqtt");
  if (!row.hopStart) return null;
  const hops = row.hopStart - row.hopLimit;
  return hops > 0 ? say("hops", { n: hops }) : row.rxSnr ? say("directSnr", { snr: decibels(row.rxSnr) }) : say("direct");
}

function messageElement(mesh, row, { answered, reactions, follows, isDirect, act }) {
  const own = isOwn(row);
  const name = own ? say("you") : mesh.longName(row.fromNodeId);
  const way = reception(row);
  const list = el("div.menu", { role: "menu", popover: "auto" });
  const button = el("button.more", {
    type: "button", tabindex: "-1", "aria-haspopup": "menu", "aria-label": say("messageOptions"),
    click: () => openMenu(list, button, messageActions(mesh, row, act)),
  }, icon("menu"));
  const counted = new Map();
  for (const one of reactions) counted.set(one.text, [...(counted.get(one.text) ?? []), isOwn(one) ? say("you") : mesh.longName(one.fromNodeId)]);
  const article = el("article", {
    tabindex: "-1", class: `message${own ? " own" : ""}${follows ? " follows" : ""}${row.deliveryState === "failed" ? " failed" : ""}`,
    "aria-label": `${name}, ${timeOfDay(row.createdAt)}`,
    keydown: (event) => {
      if (event.target !== article || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      button.click();
    },
  },
  !own && !isDirect && !follows && avatar(mesh, row.fromNodeId),
  el("div.bubble", null,
    !own && !isDirect && !follows && el("a.sender", { href: views.link(mesh, "n", row.fromNodeId), tabindex: "-1" }, bdi(name)),
    row.replyId && !row.emoji ? el("a.quote", { href: answered ? `${views.link(mesh, "c", conversationOf(row))}?m=${id(answered.id)}` : null, tabindex: "-1" },
      answered ? [el("b", null, bdi(isOwn(answered) ? say("you") : mesh.longName(answered.fromNodeId))), " ", bdi(answered.text)] : say("answersOlder")) : null,
    el("p", { dir: "auto", class: emojiOnly(row.text) ? "text big" : "text" }, linked(row.text)),
    el("div.meta", null, el("time", { title: dateAndTime(row.createdAt) }, timeOfDay(row.createdAt)),
      way && el("button.link", { type: "button", tabindex: "-1", click: () => showDetails(mesh, row) }, way),
      own && deliveryWords(row), row.viaStoreForward && el("span", null, say("stored")),
      row.spoofSuspected && el("span.bad", null, say("spoofed")))),
  button, list,
  counted.size > 0 && el("div.reactions", null, [...counted].map(([text, who]) => el("button.reaction", {
    type: "button", tabindex: "-1", title: who.join(", "), "aria-label": say("reactedWith", { emoji: text, who: who.join(", ") }),
    click: () => dialog(say("reactions"), el("ul", null, [...counted].map(([emoji, names]) => el("li", null, `${emoji} `, names.flatMap((one, place) => [place ? ", " : "", bdi(one)]))))),
  }, text, who.length > 1 ? ` ${who.length}` : ""))));
  return article;
}

function messageActions(mesh, row, act) {
  const path = `messages/${id(row.id)}`;
  const state = row.deliveryState;
  const change = (what) => () => attempt(async () => act.reload((await post(mesh, `${path}/${what}`)).data));
  return [
    [say("reply"), () => act.reply(row)],
    [say("react"), () => chooseReaction(mesh, row)],
    [say("copyText"), () => copyText(row.text)],
    [say("details"), () => showDetails(mesh, row)],
    isOwn(row) && state === "failed" && [say("sendAgain"), change("resend")],
    isOwn(row) && state === "pending" && [say("cancel"), change("cancel")],
    !isOwn(row) && [say("unreadFromHere"), () => markUnread(mesh, conversationOf(row), row.id)],
    [say("copyLink"), () => copyText(`${location.origin}${root}${views.link(mesh, "c", conversationOf(row))}?m=${id(row.id)}`)],
    [say("delete"), () => confirmDeletion(mesh, row, act)],
  ].filter(Boolean);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(say("copied"));
  } catch {
    dialog(say("copy"), el("p", null, say("copyByHand")), copyable(text));
  }
}

function confirmDeletion(mesh, row, act) {
  const box = dialog(say("deleteTitle"), el("p", null, say("deleteLong")), el("blockquote", { dir: "auto" }, row.text),
    el("div.row", null, el("button.main.danger", {
      type: "button",
      click: () => attempt(async () => {
        await ask(`api/messages/${id(row.id)}?sourceId=${id(mesh.id)}`, { method: "DELETE" });
        act.drop(row);
        box.close();
      }),
    }, say("delete")), el("button", { type: "button", click: () => box.close() }, say("keep"))));
}

function chooseReaction(mesh, row) {
  const send = async (emoji) => {
    box.close();
    await attempt(() => post(mesh, "messages", { ...destination(conversationOf(row)), text: emoji, replyId: packetOf(row), emoji: 1 }));
  };
  const field = el("input", { "aria-label": say("otherEmoji"), placeholder: say("otherEmoji"), maxlength: "12", autocomplete: "off" });
  const box = dialog(say("react"),
    el("div.emojis", null, ["👍", "❤️", "😂", "😮", "😢", "🙏", "🎉", "👎"].map((emoji) => el("button", { type: "button", click: () => send(emoji) }, emoji))),
    el("form.row", {
      submit: (event) => {
        event.preventDefault();
        if (field.value.trim()) send(field.value.trim());
      },
    }, field, el("button", { type: "submit" }, say("send"))));
}

const destination = (conversation) => (conversation.startsWith("direct:") ? { toNodeId: conversation.slice(7) } : { channel: Number(conversation.slice(8)) });

/** Everything that is known of a message's way. */
function showDetails(mesh, row) {
  dialog(say("details"), later(async () => {
    const known = await get(mesh, `messages/${id(row.id)}`);
    const delivery = known.delivery;
    const facts = [
      ["from", nodeLink(mesh, row.fromNodeId)], ["to", row.channel >= 0 ? mesh.conversations.get(`channel:${row.channel}`)?.name ?? say("channelN", { n: row.channel }) : nodeLink(mesh, row.toNodeId)],
      ["cameAt", dateAndTime(row.createdAt)], isTime(row.rxTime) && row.rxTime !== row.createdAt && ["radioSays", dateAndTime(row.rxTime)],
      ["way", reception(row)], row.rxRssi && ["rssi", `${row.rxRssi} dBm`], row.relayNode && ["relay", `…${Number(row.relayNode).toString(16).padStart(2, "0")}`],
      known.sender && ["sentBy", bdi(known.sender)],
      delivery && ["delivery", [deliveryWords({ ...row, deliveryDetail: delivery.state }), el("p.faint", { lang: "en" }, delivery.reason)]],
      delivery?.ackedAt && ["ackedAt", dateAndTime(delivery.ackedAt)], delivery && ["attempts", String(delivery.attempts)],
      ["packet", `!${packetOf(row).toString(16).padStart(8, "0")}`],
      known.reactions?.length && ["reactions", known.reactions.map((one) => el("p", null, `${one.text} `, bdi(mesh.longName(one.fromNodeId))))],
    ].filter((fact) => fact && fact[1]);
    return [factList(facts), el("p", null, el("a", { href: `${views.link(mesh, "packets")}?packet=${packetOf(row)}` }, say("showPacket")))];
  }));
}

const factList = (facts) => el("dl.table", null, facts.filter(Boolean).map(([name, value]) => el("div", null, el("dt", null, say(name)), el("dd", null, value))));

const nodeLink = (mesh, nodeId) => el("a", { href: views.link(mesh, "n", nodeId) }, bdi(nodeId === mesh.self ? `${mesh.longName(nodeId)} (${say("you")})` : mesh.longName(nodeId)));
