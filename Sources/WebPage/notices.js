// Telling somebody who looks elsewhere: a sound, and a notification where the browser allows it, for direct messages
// and for texts that name the own radio. Per device, and off until it is asked for.

const notices = {
	/** Made by a click, or the browser keeps it silent. */
	audio: null,

	get isOn() {
		return preferences.get("notices") === "on";
	},

	/** Of a secure page alone; over plain http there is the sound. */
	get mayNotify() {
		return isSecureContext && window.Notification?.permission === "granted";
	},

	/** What push.js notes: the worker shows what rules tell, also while the page is closed. */
	get isPushed() {
		return /^\d/.test(preferences.get(`push:${session.name}`));
	},

	async turn(isOn) {
		preferences.set("notices", isOn ? "on" : "off");
		if (!isOn) return;
		this.wake();
		if (isSecureContext && window.Notification?.permission === "default") await Notification.requestPermission();
		this.ring();
	},

	wake() {
		if (this.isOn) this.audio ??= new AudioContext();
		this.audio?.resume();
	},

	/** A text has come. */
	async hear(mesh, row) {
		const isHere = !document.hidden && document.hasFocus();
		if (!this.isOn || isHere || isOwn(row) || row.emoji) return;
		const chat = mesh.conversations.get(conversationOf(row));
		if (chat && isMuted(chat)) return;
		const isDirect = conversationOf(row)?.startsWith("direct:");
		if (!isDirect) {
			await Promise.resolve(mesh.needStatus()).catch(() => {});
			if (!namesUs(mesh, row.text)) return;
		}
		this.ring();
		if (!this.mayNotify || this.isPushed) return;
		const name = chat?.lastSender ?? mesh.longName(row.fromNodeId);
		const title = isDirect ? name : `${name} · ${chat?.name ?? t("channelN", { n: row.channel })}`;
		try {
			const looks = { body: row.text, tag: conversationOf(row), icon: "icon.svg" };
			const note = new Notification(inSentence(title), looks);
			on(note, "click", () => {
				window.focus();
				views.go(linkTo(mesh, "c", conversationOf(row)));
				note.close();
			});
		} catch {
			/* Phones leave it to service workers: there is the sound. */
		}
	},

	/** Two short tones. */
	ring() {
		this.wake();
		if (!this.audio) return;
		const start = this.audio.currentTime;
		for (const [place, pitch] of [660, 880].entries()) {
			const [tone, volume] = [this.audio.createOscillator(), this.audio.createGain()];
			tone.frequency.value = pitch;
			volume.gain.setValueAtTime(0.15, start + place * 0.15);
			volume.gain.exponentialRampToValueAtTime(0.001, start + place * 0.15 + 0.2);
			tone.connect(volume).connect(this.audio.destination);
			tone.start(start + place * 0.15);
			tone.stop(start + place * 0.15 + 0.2);
		}
	},
};

/** As people write it: @ and a name, or the whole long name. */
function namesUs(mesh, text) {
	const { longName, shortName } = mesh.status ?? {};
	const said = text.toLowerCase();
	const isAddressed = [longName, shortName].some((name) => name && said.includes(`@${name.toLowerCase()}`));
	return isAddressed || (longName?.length > 4 && said.includes(longName.toLowerCase()));
}

// Somebody has clicked on a notification of the worker.
navigator.serviceWorker?.addEventListener("message", ({ data }) => String(data).startsWith("#/") && views.go(data));

for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => notices.wake(), { passive: true });
