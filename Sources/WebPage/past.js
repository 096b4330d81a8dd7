// Going back: to where one came from, with the list as it was.

const past = {
	/** How many entries of the browser's history are ours, before this one. */
	depth: 0,
	/** How far each of them was scrolled, in pixels. */
	scrolled: new Map(),
	/** Where each of them led. */
	addresses: new Map(),
	isRestoring: false,

	/** An entry that has no depth yet is new: what came behind its place is over. */
	enter() {
		const known = history.state?.depth;
		this.depth = known ?? this.depth + 1;
		this.addresses.set(this.depth, location.hash);
		if (known !== undefined) return;
		this.scrolled.delete(this.depth);
		history.replaceState({ depth: this.depth }, "");
	},

	/** Writes what a list shows into its address, where going back finds it. */
	note(mesh, kind, values) {
		const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
		const address = linkTo(mesh, kind) + (query.size ? `?${query}` : "");
		history.replaceState(history.state, "", address);
		this.addresses.set(this.depth, address);
		views.address = views.parse();
	},

	/** In the place of what is over: a form that was sent, or a point that is deleted, is nothing to come back to. */
	replace(address) {
		if (this.addresses.get(this.depth - 1) === address) return history.back();
		history.replaceState(history.state, "", address);
		views.show();
	},

	get scroller() {
		return find("#main .two[data-open=list] > .list, #main .mapview") ?? find("#main");
	},

	/**
	 * To where this entry was left. Rows may still be on their way: each brings one closer, until somebody moves.
	 * @param isKept the view is the one that was there; what it was scrolled to is lost only if it was hidden.
	 */
	scrollBack(isKept = false) {
		const { scroller } = this;
		const top = this.scrolled.get(this.depth);
		if (!top || (isKept && scroller.scrollTop > 0)) return;
		const over = new AbortController();
		const reach = () => {
			scroller.scrollTop = top;
			if (scroller.scrollTop >= top - 1) over.abort();
		};
		const watcher = new ResizeObserver(reach);
		this.isRestoring = true;
		on(over.signal, "abort", () => {
			watcher.disconnect();
			this.isRestoring = false;
		});
		for (const kind of ["wheel", "pointerdown", "keydown", "hashchange"])
			on(window, kind, () => over.abort(), { signal: over.signal, passive: true, capture: true });
		setTimeout(() => over.abort(), 5000);
		for (const child of scroller.children) watcher.observe(child);
		reach();
	},
};

on(
	find("#main"),
	"scroll",
	({ target }) => {
		if (target === past.scroller && !past.isRestoring) past.scrolled.set(past.depth, target.scrollTop);
	}, { capture: true, passive: true },
);

/** Where nobody came from anywhere, "Back" leads to what its view hangs under. */
on(find("#main"), "click", (event) => {
	if (!event.target.closest("a.back") || !past.depth || event.ctrlKey || event.metaKey || event.shiftKey) return;
	event.preventDefault();
	history.back();
});
