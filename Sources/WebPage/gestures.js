// How one moves about on the map.

/** Dragging, pinching, the wheel and keys; each has its button, too. */
function pans(picture, isReady, { zoom, shift, placeAt, tapped }) {
	const fingers = new Map();
	let moved = 0;
	on(picture, "pointerdown", (event) => {
		fingers.set(event.pointerId, event);
		if (fingers.size === 1) moved = 0;
	});
	on(picture, "pointermove", (event) => {
		const before = fingers.get(event.pointerId);
		if (!before || !isReady()) return;
		const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
		moved += far(event, before);
		const other = [...fingers.values()].find((one) => one.pointerId !== event.pointerId);
		if (other)
			zoom(
				far(before, other) / Math.max(1, far(event, other)),
				placeAt({
					clientX: (event.clientX + other.clientX) / 2,
					clientY: (event.clientY + other.clientY) / 2,
				}),
			);
		else if (moved > 6) {
			picture.setPointerCapture(event.pointerId);
			shift(before.clientX - event.clientX, before.clientY - event.clientY);
		}
		fingers.set(event.pointerId, event);
	});
	for (const kind of ["pointerup", "pointercancel"])
		on(picture, kind, (event) => {
			fingers.delete(event.pointerId);
			if (kind === "pointerup" && moved <= 6 && isReady()) tapped(event);
		});
	on(
		picture,
		"click",
		(event) => {
			if (moved <= 6) return;
			event.preventDefault();
			event.stopPropagation();
		}, { capture: true },
	);
	on(
		picture,
		"wheel",
		(event) => {
			event.preventDefault();
			if (isReady()) zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, placeAt(event));
		}, { passive: false },
	);
	on(picture, "keydown", (event) => {
		const steps = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
		const factors = { "+": 0.7, "-": 1.4 };
		const step = steps[event.key];
		const factor = factors[event.key];
		if (event.target !== picture || !isReady() || !(step ?? factor)) return;
		event.preventDefault();
		if (step) shift(...step);
		else zoom(factor);
	});
}
