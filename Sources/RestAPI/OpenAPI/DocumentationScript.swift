extension DocumentationPage {
    /// Builds the page from the document with `textContent` only: texts of the mesh are never markup.
    static let script = #"""

        "use strict";
        const base = location.pathname.replace(/\/api\/v1\/docs\/?$/i, "");
        const at = id => document.getElementById(id);
        const make = (tag, options, ...children) => {
          const element = document.createElement(tag);
          for (const [key, value] of Object.entries(options || {}))
            key in element ? element[key] = value : element.setAttribute(key, value);
          element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
          return element;
        };
        let doc;

        // Words between backquotes are code.
        const inline = text => (text || "").split("`").map((piece, place) => place % 2 ? make("code", { textContent: piece }) : piece);

        const resolve = thing => {
          while (thing && thing.$ref) {
            const target = thing.$ref.slice(2).split("/").reduce((place, key) => place && place[key], doc);
            const { $ref, ...rest } = thing;
            thing = { ...target, ...rest };
          }
          return thing || {};
        };
        const nameOf = schema => schema && schema.$ref ? schema.$ref.split("/").pop() : null;

        // MARK: schemas in words

        const typeOf = schema => {
          if (!schema) return "";
          const name = nameOf(schema);
          if (name) return name;
          if ("const" in schema) return JSON.stringify(schema.const);
          if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(" | ");
          if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
          const type = [schema.type].flat().join(" | ");
          return schema.items ? type.replace("array", "list of " + typeOf(schema.items)) : type || "anything";
        };
        const rangeOf = schema => [
          "default" in schema ? "default " + schema.default : "",
          "minimum" in schema && "maximum" in schema ? schema.minimum + " to " + schema.maximum : "",
          schema.pattern ? "matches " + schema.pattern : ""].filter(Boolean).map(word => "(" + word + ")").join(" ");

        // The objects inside a schema, each behind a fold that is filled when it is opened.
        const inner = (schema, seen) => {
          const shapes = [];
          const look = part => {
            if (!part) return;
            const name = nameOf(part);
            if (name && seen.includes(name)) return;
            const whole = resolve(part);
            if (whole.properties) shapes.push([name, whole]);
            else { look(whole.items); (whole.anyOf || []).forEach(look); if (typeof whole.additionalProperties === "object") look(whole.additionalProperties); }
          };
          look(schema);
          return shapes;
        };
        const table = (schema, seen) => {
          const required = schema.required || [];
          const body = make("tbody");
          for (const [name, property] of Object.entries(schema.properties)) {
            const about = make("td", {}, ...inline(property.description), " ", rangeOf(property));
            for (const [title, whole] of inner(property, seen)) about.append(fold(title || "its members", whole, title ? [...seen, title] : seen));
            body.append(make("tr", {}, make("td", {}, make("code", { textContent: name + (required.includes(name) ? "" : "?") })),
              make("td", { className: "type", textContent: typeOf(property) }), about));
          }
          return make("div", { className: "scroll" }, make("table", {}, body));
        };
        const fold = (title, schema, seen) => {
          const place = make("div");
          const element = make("details", { className: "shape" }, make("summary", { textContent: title }), place);
          element.addEventListener("toggle", () => { if (element.open && !place.hasChildNodes()) place.append(table(schema, seen)); });
          return element;
        };

        // MARK: operations

        const parametersTable = parameters => make("div", { className: "scroll" }, make("table", {},
          make("tbody", {}, ...parameters.map(parameter => make("tr", {},
            make("td", {}, make("code", { textContent: parameter.name + (parameter.required ? "" : "?") })),
            make("td", { className: "type", textContent: parameter.in + ", " + typeOf(parameter.schema) }),
            make("td", {}, ...inline(parameter.description), " ", rangeOf(parameter.schema)))))));

        const answersTable = responses => make("div", { className: "scroll" }, make("table", {},
          make("tbody", {}, ...Object.entries(responses).map(([status, response]) => {
            const whole = resolve(response);
            const about = make("td", {}, ...inline(whole.description));
            for (const [type, media] of Object.entries(whole.content || {})) {
              if (type !== "application/json") about.append(" (" + type + ")");
              for (const [name, schema] of inner(media.schema, [])) about.append(fold(name || typeOf(media.schema), schema, name ? [name] : []));
            }
            return make("tr", {}, make("td", {}, make("code", { textContent: status })), about);
          }))));

        const scopesOf = operation => (operation.security || []).flatMap(one => Object.values(one).flat());
        const inside = (path, method, operation) => {
          const place = make("div", { className: "inside" });
          if (operation.description) place.append(...paragraphs(operation.description));
          const scopes = scopesOf(operation);
          place.append(make("p", { className: "what" }, !(operation.security || []).length ? "Needs no token."
            : scopes.length ? "Needs a token with " + scopes.join(", ") + "." : "Needs a token."));
          if (path.includes("/sources/{sourceId}/")) {
            const rest = path.split("/sources/{sourceId}")[1];
            place.append(make("p", { className: "what" }, "The same under " + base + "/api/v1/sources/default" + rest + " and " + base + "/api/v1" + rest + "."));
          }
          if (operation.parameters) place.append(make("h3", { textContent: "Parameters" }), parametersTable(operation.parameters));
          const body = operation.requestBody && operation.requestBody.content["application/json"].schema;
          if (body) place.append(make("h3", { textContent: "Body" }), table(resolve(body), []));
          place.append(make("h3", { textContent: "Answers" }), answersTable(operation.responses),
            isEndless(operation) ? "" : tryIt(path, method, operation, body));
          return place;
        };
        // There is no end that one could wait for.
        const isEndless = operation => "text/event-stream" in ((operation.responses["200"] || {}).content || {});
        const rows = text => text.split("\n").filter(line => !line.startsWith("|---")).map(line =>
          make("tr", {}, ...line.slice(1, -1).split("|").map(cell => make("td", {}, ...inline(cell.trim())))));
        const paragraphs = text => text.split("\n\n").map(part =>
          part.startsWith("|") ? make("table", {}, ...rows(part)) : make("p", {}, ...inline(part)));

        // MARK: trying it

        const tryIt = (path, method, operation, bodySchema) => {
          const inputs = [];
          const fields = make("div", { className: "fields" });
          for (const parameter of operation.parameters || []) {
            if (parameter.name === "sourceId" && parameter.in === "path") continue;
            const input = make("input", { autocomplete: "off", spellcheck: false, required: parameter.required && parameter.in === "path",
              placeholder: "default" in parameter.schema ? String(parameter.schema.default) : "" });
            inputs.push([parameter, input]);
            fields.append(make("label", {}, parameter.name, input));
          }
          const body = bodySchema ? make("textarea", { spellcheck: false, value: example(bodySchema) }) : null;
          const send = make("button", { type: "submit", textContent: "Send" });
          const result = make("div", { "aria-live": "polite" });
          const form = make("form", {}, make("h3", { textContent: "Try it" }), fields, body && make("label", {}, "Body", body), send, result);
          form.addEventListener("submit", async event => {
            event.preventDefault();
            send.disabled = true;
            try { await ask(path, method, inputs, body, result); }
            catch (error) { result.replaceChildren(make("p", { className: "bad", textContent: "The request failed: " + error.message })); }
            send.disabled = false;
          });
          return form;
        };
        const example = schema => {
          const whole = resolve(schema);
          const names = [...whole.required || [], ...((whole.oneOf || whole.anyOf || [{}])[0].required || [])];
          return JSON.stringify(Object.fromEntries(names.map(name => [name, exampleOf(resolve((whole.properties || {})[name]))])), null, 2);
        };
        const exampleOf = schema => {
          const type = [schema.type].flat()[0];
          return type === "boolean" ? true : type === "integer" || type === "number" ? schema.minimum || 0 : type === "array" ? [] :
            schema.enum ? schema.enum[0] : "";
        };
        const targetOf = (path, inputs) => {
          let target = path.replace("{sourceId}", encodeURIComponent(at("source").value || "default"));
          const query = new URLSearchParams();
          for (const [parameter, input] of inputs) {
            if (parameter.in === "path") target = target.replace("{" + parameter.name + "}", encodeURIComponent(input.value));
            else if (input.value !== "") query.append(parameter.name, input.value);
          }
          return base + target + (query.size ? "?" + query : "");
        };
        const ask = async (path, method, inputs, body, result) => {
          const target = targetOf(path, inputs);
          const headers = {};
          const token = at("token").value.trim();
          if (token) headers.Authorization = "Bearer " + token;
          if (body) headers["Content-Type"] = "application/json";
          const start = performance.now();
          const response = await fetch(target, { method: method.toUpperCase(), headers, body: body ? body.value : undefined,
            credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" });
          const text = await response.text();
          const time = Math.round(performance.now() - start);
          const lines = [...response.headers].map(([name, value]) => name + ": " + value).join("\n");
          let shown = text;
          try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { }
          result.replaceChildren(
            make("p", {}, make("strong", { className: response.ok ? "good" : "bad", textContent: response.status + " " + response.statusText }),
              " " + method.toUpperCase() + " " + target + " · " + new Blob([text]).size + " bytes · " + time + " ms"),
            make("details", { className: "shape" }, make("summary", { textContent: "Headers" }), make("pre", { textContent: lines })),
            make("pre", { tabIndex: 0, textContent: shown.length > 200000 ? shown.slice(0, 200000) + "\n…" : shown || "(no body)" }));
        };

        // MARK: the page

        const show = () => {
          at("version").textContent = doc.info.version;
          const main = at("main");
          main.replaceChildren(...paragraphs(doc.info.description));
          const sections = new Map(doc.tags.map(tag => [tag.name, make("section", {}, make("h2", { textContent: tag.name }))]));
          for (const [path, methods] of Object.entries(doc.paths))
            for (const [method, operation] of Object.entries(methods)) {
              if (operation["x-canonical"]) continue;
              const element = make("details", { className: "operation", id: operation.operationId },
                make("summary", {}, make("span", { className: "method " + method, textContent: method.toUpperCase() }),
                  make("span", { className: "path", textContent: base + path }), make("span", { className: "what", textContent: operation.summary })));
              element.addEventListener("toggle", () => { if (element.open && element.children.length === 1) element.append(inside(path, method, operation)); });
              element.dataset.words = [method, path, operation.summary, operation.tags.join(" ")].join(" ").toLowerCase();
              sections.get(operation.tags[0]).append(element);
            }
          main.append(...[...sections.values()].filter(section => section.children.length > 1));
          openFragment();
        };
        const openFragment = () => {
          const wanted = at(decodeURIComponent(location.hash.slice(1)));
          if (wanted && wanted.matches("details.operation")) { wanted.open = true; wanted.scrollIntoView(); }
        };
        addEventListener("hashchange", openFragment);
        at("find").addEventListener("input", () => {
          const words = at("find").value.toLowerCase().split(/\s+/).filter(Boolean);
          for (const element of document.querySelectorAll("details.operation"))
            element.hidden = !words.every(word => element.dataset.words.includes(word));
          for (const section of document.querySelectorAll("main > section"))
            section.hidden = !section.querySelector("details.operation:not([hidden])");
        });
        for (const link of at("links").children) link.href = base + "/api/v1/docs/" + link.textContent;
        fetch(base + "/api/v1/docs/openapi.json", { credentials: "omit" })
          .then(response => response.ok ? response.json() : Promise.reject(new Error("status " + response.status)))
          .then(answer => { doc = answer; show(); })
          .catch(error => { at("notice").textContent = "The document could not be read: " + error.message; });

        """#
}
