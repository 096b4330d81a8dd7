
// A text as a QR code (ISO/IEC 18004): bytes, the lowest correction, versions 1 to 20, mask 0.

/** Bytes of correction in a block, and blocks, of each version. */
const qrCorrection = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const qrBlocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

/** Places of the small squares. */
function qrAlignment(version) {
	const count = version > 1 ? Math.floor(version / 7) + 2 : 0;
	const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
	return Array.from({ length: count }, (_, place) => (place ? version * 4 + 10 - step * (count - 1 - place) : 6));
}

/** Bytes for data and correction. */
function qrCapacity(version) {
	const n = qrAlignment(version).length;
	return Math.floor(((16 * version + 128) * version + 64 - (n ? (25 * n - 10) * n - 55 : 0) - (version > 6 ? 36 : 0)) / 8);
}

/** In the field of 256 elements (x⁸ + x⁴ + x³ + x² + 1). */
function qrTimes(a, b) {
	let product = 0;
	for (let bit = 7; bit >= 0; bit -= 1) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
	return product;
}

/** The correction of a block (Reed and Solomon). */
function qrRemainder(data, degree) {
	const divisor = new Array(degree).fill(0).with(-1, 1);
	for (let turn = 0, base = 1; turn < degree; turn += 1, base = qrTimes(base, 2)) {
		divisor.forEach((value, place) => { divisor[place] = qrTimes(value, base) ^ (divisor[place + 1] ?? 0); });
	}
	return data.reduce((rest, byte) => {
		const factor = byte ^ rest[0];
		return divisor.map((value, place) => qrTimes(value, factor) ^ (rest[place + 1] ?? 0));
	}, new Array(degree).fill(0));
}

/** Data with its correction, block by block in turn. */
function qrCodewords(bytes, version) {
	const [blocks, degree] = [qrBlocks[version - 1], qrCorrection[version - 1]];
	const room = qrCapacity(version) - blocks * degree;
	const bits = (value, count) => value.toString(2).padStart(count, "0");
	let text = bits(4, 4) + bits(bytes.length, version < 10 ? 8 : 16) + Array.from(bytes, (byte) => bits(byte, 8)).join("");
	text = text.padEnd(Math.min(Math.ceil((text.length + 4) / 8), room) * 8, "0");
	const data = text.match(/.{8}/g).map((byte) => parseInt(byte, 2));
	for (let pad = 0xec; data.length < room; pad ^= 0xfd) data.push(pad);
	const short = Math.floor(room / blocks), longer = blocks - (room % blocks);
	const parts = Array.from({ length: blocks }, (_, block) => data.splice(0, short + (block < longer ? 0 : 1)));
	const inTurn = (lists, length) => Array.from({ length }, (_, place) => lists.flatMap((list) => list[place] ?? [])).flat();
	return [...inTurn(parts, short + 1), ...inTurn(parts.map((part) => qrRemainder(part, degree)), degree)];
}

/** Rows of dark (true) and light modules; null: the text is too long. */
function qrModules(text) {
	const bytes = new TextEncoder().encode(text);
	const version = qrBlocks.findIndex((blocks, place) => bytes.length + (place < 9 ? 2 : 3) <= qrCapacity(place + 1) - blocks * qrCorrection[place]) + 1;
	if (!version) return null;
	const size = version * 4 + 17;
	const modules = Array.from({ length: size }, () => new Array(size).fill(null));
	const set = (row, column, isDark) => { if (modules[row]?.[column] !== undefined) modules[row][column] = isDark; };
	const both = (row, column, isDark) => { set(row, column, isDark); set(column, row, isDark); };
	const square = (row, column, reach, light) => {
		for (let y = -reach; y <= reach; y += 1) for (let x = -reach; x <= reach; x += 1) set(row + y, column + x, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
	};
	for (let place = 0; place < size; place += 1) both(6, place, place % 2 === 0);
	for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(row, column, 4, [2, 4]);
	for (const row of qrAlignment(version)) for (const column of qrAlignment(version)) if (modules[row][column] === null || (row === 6) !== (column === 6)) {
		if (Math.min(row, column) > 6 || Math.max(row, column) < size - 7) square(row, column, 2, [1]);
	}
	// The lowest correction (01) and mask 0, with their check bits.
	for (let bit = 0; bit < 15; bit += 1) {
		const isDark = ((0x77c4 >> bit) & 1) === 1;
		set(...(bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : bit === 8 ? [8, 7] : [8, 14 - bit]), isDark);
		set(...(bit < 8 ? [8, size - 1 - bit] : [size - 15 + bit, 8]), isDark);
	}
	set(size - 8, 8, true);
	if (version > 6) {
		let check = version;
		for (let turn = 0; turn < 12; turn += 1) check = (check << 1) ^ ((check >> 11) * 0x1f25);
		for (let bit = 0; bit < 18; bit += 1) both(size - 11 + (bit % 3), Math.floor(bit / 3), ((((version << 12) | check) >> bit) & 1) === 1);
	}
	const codewords = qrCodewords(bytes, version);
	let bit = 0;
	for (let right = size - 1; right > 0; right -= 2) {
		if (right === 6) right = 5;
		for (let step = 0; step < size; step += 1) for (const column of [right, right - 1]) {
			const row = (right + 1) & 2 ? step : size - 1 - step;
			if (modules[row][column] !== null) continue;
			modules[row][column] = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === (row + column) % 2;
			bit += 1;
		}
	}
	return modules;
}

/** Black on white whatever the colours of the page are. */
function qrPicture(text, label) {
	const modules = qrModules(text);
	if (!modules) return el("p", t("tooLongForCode"));
	const size = modules.length + 8;
	const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
	return draw("svg.qr", { viewBox: `0 0 ${size} ${size}`, role: "img", label: label, "shape-rendering": "crispEdges" },
		draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path }));
}
