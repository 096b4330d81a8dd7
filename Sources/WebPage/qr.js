
// A text as a QR code (ISO/IEC 18004): bytes, the lowest correction, versions 1 to 20, mask 0.

const qrCorrection = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const qrBlocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const qrLogs = (() => {
  const [exponents, logarithms] = [new Uint8Array(510), new Uint8Array(256)];
  for (let power = 0, value = 1; power < 255; power += 1) {
    exponents[power] = exponents[power + 255] = value;
    logarithms[value] = power;
    value = (value << 1) ^ (value & 128 ? 0x11d : 0);
  }
  return { exponents, logarithms };
})();

function qrAlignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, place) => version * 4 + 10 - step * (count - 2 - place))];
}

/** Bits for data and correction in a code of this version. */
function qrCapacity(version) {
  const n = qrAlignment(version).length;
  const alignment = n ? (25 * n - 10) * n - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0)) / 8);
}

function qrRemainder(data, degree) {
  const { exponents, logarithms } = qrLogs;
  const times = (a, b) => (a && b ? exponents[logarithms[a] + logarithms[b]] : 0);
  const divisor = new Uint8Array(degree);
  divisor[degree - 1] = 1;
  for (let power = 0; power < degree; power += 1) {
    for (let place = 0; place < degree; place += 1) divisor[place] = times(divisor[place], exponents[power]) ^ (divisor[place + 1] ?? 0);
  }
  const rest = new Uint8Array(degree);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[degree - 1] = 0;
    divisor.forEach((value, place) => { rest[place] ^= times(value, factor); });
  }
  return rest;
}

/** Data with its correction, block by block in turn. */
function qrCodewords(bytes, version) {
  const [blocks, degree, total] = [qrBlocks[version - 1], qrCorrection[version - 1], qrCapacity(version)];
  const room = total - blocks * degree;
  const bits = [];
  const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, place) => parseInt(bits.slice(place * 8, place * 8 + 8).join(""), 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const short = Math.floor(room / blocks), longer = room % blocks;
  const parts = [];
  for (let block = 0, from = 0; block < blocks; block += 1) {
    const size = short + (block >= blocks - longer ? 1 : 0);
    parts.push(data.slice(from, from += size));
  }
  const checks = parts.map((part) => qrRemainder(part, degree));
  const all = [];
  for (let place = 0; place <= short; place += 1) for (const part of parts) if (place < part.length) all.push(part[place]);
  for (let place = 0; place < degree; place += 1) for (const check of checks) all.push(check[place]);
  return all;
}

/** Rows of dark (true) and light modules; null: the text is too long. */
function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = qrBlocks.findIndex((blocks, place) => bytes.length + (place < 9 ? 2 : 3) <= qrCapacity(place + 1) - blocks * qrCorrection[place]) + 1;
  if (!version) return null;
  const size = version * 4 + 17;
  const modules = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (row, column, isDark) => { if (modules[row]?.[column] !== undefined) modules[row][column] = isDark; };
  const square = (row, column, reach, dark) => {
    for (let y = -reach; y <= reach; y += 1) for (let x = -reach; x <= reach; x += 1) set(row + y, column + x, dark(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (let place = 0; place < size; place += 1) {
    set(6, place, place % 2 === 0);
    set(place, 6, place % 2 === 0);
  }
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(row, column, 4, (far) => far !== 2 && far !== 4);
  const places = qrAlignment(version);
  for (const row of places) for (const column of places) {
    if ((row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6)) continue;
    square(row, column, 2, (far) => far !== 1);
  }
  // The lowest correction (01) and mask 0, with their check bits.
  const format = 0x77c4;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((format >> bit) & 1) === 1;
    const around = bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : bit === 8 ? [8, 7] : [8, 14 - bit];
    set(...around, isDark);
    if (bit < 8) set(8, size - 1 - bit, isDark);
    else set(size - 15 + bit, 8, isDark);
  }
  set(size - 8, 8, true);
  if (version >= 7) {
    let check = version;
    for (let turn = 0; turn < 12; turn += 1) check = (check << 1) ^ ((check >> 11) * 0x1f25);
    const word = (version << 12) | check;
    for (let bit = 0; bit < 18; bit += 1) {
      const isDark = ((word >> bit) & 1) === 1, far = size - 11 + (bit % 3), near = Math.floor(bit / 3);
      set(far, near, isDark);
      set(near, far, isDark);
    }
  }
  const codewords = qrCodewords(bytes, version);
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) for (const column of [right, right - 1]) {
      const isUp = ((right + 1) & 2) === 0;
      const row = isUp ? size - 1 - step : step;
      if (modules[row][column] !== null) continue;
      const isDark = bit < codewords.length * 8 && ((codewords[bit >> 3] >> (7 - (bit & 7))) & 1) === 1;
      modules[row][column] = isDark !== ((row + column) % 2 === 0);
      bit += 1;
    }
  }
  return modules;
}

/** Black on white whatever the colours of the page are. */
function qrPicture(text, label) {
  const modules = qrModules(text);
  if (!modules) return el("p", null, say("tooLongForCode"));
  const size = modules.length + 8;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return draw("svg.qr", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path, fill: "#000" }));
}
