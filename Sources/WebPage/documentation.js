// The page of the documentation: the OpenAPI document to read and to try. Texts of the mesh are never markup.

const base = location.pathname.replace(/\/api\/v1\/docs\/?$/i, "");

/** The document, when it is there. */
let openAPI;

/** Words between backquotes are code. */
const inline = (text) =>
	(text ?? "").split("`").map((piece, index) => (index % 2 ? el("code", piece) : piece));

/** What a reference means, with what stands beside it. */
function resolve(schema) {
	let found = schema;
	while (found?.$ref) {
		const { $ref: reference, ...beside } = found;
		const keys = reference.slice(2).split("/");
		found = { ...keys.reduce((part, key) => part?.[key], openAPI), ...beside };
	}
	return found ?? {};
}

const nameOf = (schema) => schema?.$ref?.split("/").at(-1) ?? null;

// MARK: schemas in words

function typeOf(schema) {
	if (!schema) return "";
	const name = nameOf(schema);
	if (name) return name;
	if ("const" in schema) return JSON.stringify(schema.const);
	if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
	const type = [schema.type].flat().join(" | ");
	return schema.items ? type.replace("array", `list of ${typeOf(schema.items)}`) : type || "anything";
}

function rangeOf(schema) {
	const words = [];
	if ("default" in schema) words.push(`default ${schema.default}`);
	if ("minimum" in schema && "maximum" in schema) words.push(`${schema.minimum} to ${schema.maximum}`);
	if (schema.pattern) words.push(`matches ${schema.pattern}`);
	return words.map((word) => `(${word})`).join(" ");
}

/** The objects inside a schema: [name, schema], but for those that one has come through. */
function shapesIn(schema, seen) {
	const shapes = [];
	const look = (part) => {
		if (!part) return;
		const name = nameOf(part);
		if (name && seen.includes(name)) return;
		const whole = resolve(part);
		if (whole.properties) {
			shapes.push([name, whole]);
			return;
		}
		look(whole.items);
		for (const choice of whole.anyOf ?? []) look(choice);
		if (typeof whole.additionalProperties === "object") look(whole.additionalProperties);
	};
	look(schema);
	return shapes;
}

/** What opens behind a word; it is filled when it is opened. */
function fold(title, schema, seen) {
	const inside = el("div");
	return el("details.shape", {
			toggle: () => {
				if (!inside.hasChildNodes()) put(inside, propertiesTable(schema, seen));
			},
		},
		el("summary", title),
		inside,
	);
}

const scrolled = (...rows) => el("div.scroll", { tabindex: "0" }, el("table", el("tbody", rows)));

function propertiesTable(schema, seen) {
	const required = schema.required ?? [];
	const rows = Object.entries(schema.properties).map(([name, property]) => {
		const folds = shapesIn(property, seen).map(([title, whole]) =>
			fold(title ?? "its members", whole, title ? [...seen, title] : seen),
		);
		return el("tr",
			el("td", el("code", required.includes(name) ? name : `${name}?`)),
			el("td.type", typeOf(property)),
			el("td", inline(property.description), " ", rangeOf(property), folds),
		);
	});
	return scrolled(rows);
}

// MARK: operations

function parametersTable(parameters) {
	const rows = parameters.map((parameter) =>
		el("tr",
			el("td", el("code", parameter.required ? parameter.name : `${parameter.name}?`)),
			el("td.type", `${parameter.in}, ${typeOf(parameter.schema)}`),
			el("td", inline(parameter.description), " ", rangeOf(parameter.schema)),
		),
	);
	return scrolled(rows);
}

function answersTable(responses) {
	const rows = Object.entries(responses).map(([status, response]) => {
		const whole = resolve(response);
		const about = el("td", inline(whole.description));
		for (const [type, media] of Object.entries(whole.content ?? {})) {
			if (type !== "application/json") about.append(` (${type})`);
			for (const [name, schema] of shapesIn(media.schema, []))
				about.append(fold(name ?? typeOf(media.schema), schema, name ? [name] : []));
		}
		return el("tr", el("td", el("code", status)), about);
	});
	return scrolled(rows);
}

const scopesOf = (operation) => (operation.security ?? []).flatMap((one) => Object.values(one).flat());

/** Those of the route, and those that depend on what is asked for. */
function neededScopes(operation) {
	if (!operation.security?.length) return "Needs no token.";
	const scopes = scopesOf(operation);
	const further = operation["x-further-scopes"] ?? [];
	const first = scopes.length ? `Needs a token with ${scopes.join(", ")}` : "Needs a token";
	if (!further.length) return `${first}.`;
	return [
		`${first}; and by what is asked for `,
		further.map(({ scope, when }, index) => [index ? "; " : "", el("code", scope), ": ", inline(when)]),
		".",
	];
}

/** The same operation of the default source has shorter paths. */
function otherPaths(path) {
	if (!path.includes("/sources/{sourceId}/")) return null;
	const rest = path.split("/sources/{sourceId}")[1];
	return el("p.what", `The same under ${base}/api/v1/sources/default${rest} and ${base}/api/v1${rest}.`);
}

/** There is no end that one could wait for. */
const isEndless = (operation) => "text/event-stream" in (operation.responses["200"]?.content ?? {});

function operationDetails(path, method, operation) {
	const body = operation.requestBody?.content["application/json"].schema;
	return el("div.inside",
		operation.description && paragraphs(operation.description),
		el("p.what", neededScopes(operation)),
		otherPaths(path),
		operation.parameters && [el("h3", "Parameters"), parametersTable(operation.parameters)],
		body && [el("h3", "Body"), propertiesTable(resolve(body), [])],
		el("h3", "Answers"),
		answersTable(operation.responses),
		tryIt(path, method, operation, body),
	);
}

/** A table of Markdown, or a paragraph. */
function paragraphs(text) {
	return text.split("\n\n").map((part) => {
		if (!part.startsWith("|")) return el("p", inline(part));
		const lines = part.split("\n").filter((line) => !line.startsWith("|---"));
		const cells = (line) => line.slice(1, -1).split("|");
		return el("table", lines.map((line) => el("tr", cells(line).map((cell) => el("td", inline(cell.trim()))))));
	});
}

// MARK: trying it

function tryIt(path, method, operation, schema) {
	const inputs = [];
	const fields = el("div.fields");
	for (const parameter of operation.parameters ?? []) {
		if (parameter.name === "sourceId" && parameter.in === "path") continue;
		const input = el("input", {
			autocomplete: "off",
			spellcheck: "false",
			required: parameter.required && parameter.in === "path",
			placeholder: "default" in parameter.schema ? String(parameter.schema.default) : null,
		});
		inputs.push([parameter, input]);
		fields.append(el("label", parameter.name, input));
	}
	const body = schema ? el("textarea", { spellcheck: "false", value: exampleOf(schema) }) : null;
	const send = !isEndless(operation) && el("button", "Send");
	if (send) send.type = "submit";
	const result = el("div", { "aria-live": "polite" });
	const curl = curlLine((token) =>
		curlOf(targetOf(path, inputs), method, headersOf(inputs), body?.value, operation, token),
	);
	const submit = async () => {
		if (!send) return;
		send.disabled = true;
		try {
			await ask(targetOf(path, inputs), method, headersOf(inputs), body?.value, result);
		} catch (error) {
			put(result, el("p.bad", `The request failed: ${error.message}`));
		}
		send.disabled = false;
	};
	return el("form", { submit, input: curl.draw },
		el("h3", "Try it"),
		fields,
		body && el("label", "Body", body),
		send,
		curl.node,
		result,
	);
}

// MARK: the same with curl

/** As one word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** One line; "$TOKEN" where the token is not to be seen. */
function curlOf(target, method, headers, body, operation, token) {
	const verb = method.toUpperCase();
	const bearer = "Authorization: Bearer ";
	const words = [
		"curl",
		isEndless(operation) && "-N",
		verb === "HEAD" ? "-I" : verb !== "GET" && `-X ${verb}`,
		operation.security?.length && ["-H", token ? quoted(bearer + token) : `"${bearer}$TOKEN"`],
		Object.entries(headers).map(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
		body !== undefined && ["-H", quoted("Content-Type: application/json"), "-d", quoted(body)],
		quoted(location.origin + target),
	];
	return words.flat(2).filter(Boolean).join(" ");
}

/**
 * A line to look at, and a button that copies it with this page's own token.
 * @param write gives it, with a token or without
 */
function curlLine(write) {
	const shown = el("code");
	const draw = () => {
		shown.textContent = write("");
	};
	const button = el("button", {
			type: "button",
			click: async () => {
				const line = write(find("#token").value.trim());
				try {
					await navigator.clipboard.writeText(line);
					button.textContent = "Copied";
				} catch {
					// Plain http has no clipboard: it is selected instead.
					shown.textContent = line;
					getSelection().selectAllChildren(shown);
				}
			},
		},
		"Copy",
	);
	draw();
	on(find("#source"), "input", draw);
	return { node: el("p.curl", shown, button), draw };
}

/** A body with what is required in it. */
function exampleOf(schema) {
	const whole = resolve(schema);
	const [choice] = whole.oneOf ?? whole.anyOf ?? [{}];
	const names = [...(whole.required ?? []), ...(choice.required ?? [])];
	const members = names.map((name) => [name, valueFor(resolve(whole.properties?.[name]))]);
	return JSON.stringify(Object.fromEntries(members), null, 2);
}

function valueFor(schema) {
	const [type] = [schema.type].flat();
	if (type === "boolean") return true;
	if (type === "integer" || type === "number") return schema.minimum ?? 0;
	if (type === "array") return [];
	return schema.enum?.[0] ?? "";
}

function targetOf(path, inputs) {
	let target = path.replace("{sourceId}", encodeURIComponent(find("#source").value || "default"));
	const query = new URLSearchParams();
	for (const [parameter, input] of inputs) {
		if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
		else if (parameter.in === "query" && input.value !== "") query.append(parameter.name, input.value);
	}
	return base + target + (query.size ? `?${query}` : "");
}

function headersOf(inputs) {
	const headers = inputs.filter(([parameter, input]) => parameter.in === "header" && input.value);
	return Object.fromEntries(headers.map(([parameter, input]) => [parameter.name, input.value]));
}

async function ask(target, method, headers, body, result) {
	const token = find("#token").value.trim();
	if (token) headers.Authorization = `Bearer ${token}`;
	if (body !== undefined) headers["Content-Type"] = "application/json";
	const start = performance.now();
	const response = await fetch(target, {
		method: method.toUpperCase(),
		headers,
		body,
		credentials: "omit",
		cache: "no-store",
		referrerPolicy: "no-referrer",
	});
	const text = await response.text();
	const milliseconds = Math.round(performance.now() - start);
	const size = new Blob([text]).size;
	const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
	put(result,
		el("p",
			el(response.ok ? "strong.good" : "strong.bad", `${response.status} ${response.statusText}`),
			` ${method.toUpperCase()} ${target} · ${size} bytes · ${milliseconds} ms`,
		),
		el("details.shape", el("summary", "Headers"), el("pre", lines.join("\n"))),
		el("pre", { tabindex: "0" }, readable(text)),
	);
}

/** JSON with a line for each value; not more than a browser shows at ease. */
function readable(text) {
	let shown = text;
	try {
		shown = JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		/* it is something else */
	}
	return shown.length > 200000 ? `${shown.slice(0, 200000)}\n…` : shown || "(no body)";
}

// MARK: the page

function operationElement(path, method, operation) {
	const element = el("details.operation", {
			id: operation.operationId,
			toggle: () => {
				if (element.open && element.children.length === 1)
					element.append(operationDetails(path, method, operation));
			},
		},
		el("summary",
			el(`span.method.${method}`, method.toUpperCase()),
			el("span.path", base + path),
			el("span.what", operation.summary),
		),
	);
	return element;
}

// MARK: finding one

/** Texts of a schema with the names of its members, each once; an answer's are many, so that names have to do. */
function textsIn(schema, isAnswer, seen = new Set()) {
	const found = [];
	const look = (part) => {
		if (!part || typeof part !== "object") return;
		const name = nameOf(part);
		if (name && seen.has(name)) return;
		if (name) seen.add(name);
		const whole = resolve(part);
		if (!isAnswer) found.push(whole.description ?? "", ...(whole.enum ?? []).map(String));
		for (const [key, member] of Object.entries(whole.properties ?? {})) {
			found.push(key);
			look(member);
		}
		look(whole.items);
		for (const choice of [...(whole.anyOf ?? []), ...(whole.oneOf ?? [])]) look(choice);
		look(whole.additionalProperties);
	};
	look(schema);
	return found;
}

/** What Find looks through, the most telling first: [weight, text]. */
function textsOf(path, method, operation) {
	const parameters = operation.parameters ?? [];
	const body = operation.requestBody?.content["application/json"].schema;
	const further = (operation["x-further-scopes"] ?? []).map(({ scope }) => scope);
	const answers = Object.entries(operation.responses)
		.filter(([status]) => status < "300")
		.flatMap(([, answer]) => Object.values(resolve(answer).content ?? {}))
		.flatMap(({ schema }) => textsIn(schema, true));
	return [
		[10, operation.summary],
		[8, `${method} ${path} ${operation.tags.join(" ")}`],
		[5, operation.description ?? ""],
		[4, [...scopesOf(operation), ...further].join(" ")],
		[4, parameters.map(({ name }) => name).join(" ")],
		[3, parameters.map(({ description }) => description).join(" ")],
		[3, textsIn(body, false).join(" ")],
		[1, answers.join(" ")],
	].map(([weight, text]) => [weight, text.toLowerCase()]);
}

/**
 * How well a word fits an operation: 0: not at all. A whole word is more than the beginning of one, and what a summary
 * begins with is what it is about. What is ours goes before what MeshMonitor has for the same, its old form comes last;
 * reading goes before writing.
 */
function fitOf(word, { texts, isOurs, isOld, onlyReads }) {
	let best = 0;
	for (const [weight, text] of texts) {
		for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
			const begins = !/[a-z0-9]/.test(text[at - 1] ?? " ");
			const ends = !/[a-z0-9]/.test(text[at + word.length] ?? " ");
			const share = begins ? (ends ? 1 : 0.6) : 0.2;
			best = Math.max(best, weight * share * (1 - Math.min(at, 200) / 2000));
		}
	}
	return best * (isOurs ? 1.25 : 1) * (onlyReads ? 1.05 : 1) * (isOld ? 0.2 : 1);
}

function show() {
	find("#version").textContent = openAPI.info.version;
	const sections = new Map(openAPI.tags.map(({ name }) => [name, el("section", el("h2", name))]));
	for (const [path, methods] of Object.entries(openAPI.paths)) {
		for (const [method, operation] of Object.entries(methods)) {
			// Shorter paths of an operation that is listed already.
			if (operation["x-canonical"]) continue;
			const section = sections.get(operation.tags[0]);
			const element = operationElement(path, method, operation);
			section.append(element);
			listed.push({
				element,
				section,
				texts: textsOf(path, method, operation),
				isOurs: operation["x-mesh-gateway-only"] === true,
				isOld: !path.startsWith("/api/v1/"),
				onlyReads: method === "get",
			});
		}
	}
	const filled = [...sections.values()].filter((section) => section.children.length > 1);
	put(find("#main"), el("section.begin", beginning(), paragraphs(openAPI.info.description)), foundSection, filled);
	// Somebody may have typed before it was there.
	if (find("#find").value) filterOperations();
	openFragment();
}

/** All operations in their order, with what they are found by. */
const listed = [];
const foundSection = el("section", { hidden: true }, el("h2"));

/** How one gets a token, and how it is sent. */
function beginning() {
	const make = el("code", "mesh-gateway token create NAME");
	const example = { security: [{}], responses: {} };
	const first = curlLine((token) => curlOf(`${base}/api/v1/me`, "get", {}, undefined, example, token));
	return [
		el("h2", "A token first"),
		el("p",
			"Type ",
			make,
			" on the gateway's computer: it prints one that reads and sends. ",
			el("code", "--scope SCOPE"),
			", which may be repeated, gives it the scopes that a route names. Each request has it in its head, as ",
			el("code", "Authorization: Bearer TOKEN"),
			". What yours may do:",
		),
		first.node,
	];
}

function openFragment() {
	const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (!wanted?.matches("details.operation")) return;
	wanted.open = true;
	wanted.scrollIntoView();
}

/** What fits best first; without a word everything where it belongs. */
function filterOperations() {
	const words = find("#find").value.toLowerCase().split(/\s+/).filter(Boolean);
	const found = [];
	for (const one of listed) {
		const fits = words.map((word) => fitOf(word, one));
		one.element.hidden = fits.includes(0);
		if (!words.length) one.section.append(one.element);
		else if (!one.element.hidden) found.push([fits.reduce((sum, fit) => sum + fit, 0), one.element]);
	}
	foundSection.append(...found.sort(([a], [b]) => b - a).map(([, element]) => element));
	foundSection.firstChild.textContent = found.length ? "Found" : "Nothing has all of these words.";
	foundSection.hidden = !words.length;
	for (const section of document.querySelectorAll("main > section"))
		if (section !== foundSection) section.hidden = words.length > 0;
}

addEventListener("hashchange", openFragment);
on(find("#find"), "input", filterOperations);
for (const link of find("#links").children) link.href = `${base}/api/v1/docs/${link.textContent}`;

try {
	const answer = await fetch(`${base}/api/v1/docs/openapi.json`, { credentials: "omit" });
	if (!answer.ok) throw new Error(`status ${answer.status}`);
	openAPI = await answer.json();
	show();
} catch (error) {
	find("#notice").textContent = `The document could not be read: ${error.message}`;
}
