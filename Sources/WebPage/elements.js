// What every document here is built with: elements. Nothing from outside is ever markup.

/** The first element that a selector means. */
const find = (selector, root = document) => root.querySelector(selector);

/**
 * Makes an element, as "tag.class.class". Texts only become text.
 * Attributes: functions are listeners (a form is never sent by the browser), true is an empty attribute, `label` is
 * what it is called for those who listen, `--name` a value for its style; null and false are left out.
 */
function el(name, ...content) {
	const [tag, ...classes] = name.split(".");
	return fill(document.createElement(tag), classes, content);
}

function fill(element, classes, content) {
	const attributes = Object.getPrototypeOf(content[0] ?? 0) === Object.prototype ? content.shift() : {};
	if (classes.length) element.setAttribute("class", classes.join(" "));
	if (element.localName === "button") element.type = "button";
	for (const [key, value] of Object.entries(attributes)) {
		if (value == null || value === false) continue;
		if (key === "submit")
			on(element, key, (event) => {
				event.preventDefault();
				value(event);
			});
		else if (typeof value === "function") on(element, key, value);
		else if (key.startsWith("--")) element.style.setProperty(key, value);
		else if (key === "value") element.value = value;
		else element.setAttribute(key === "label" ? "aria-label" : key, value === true ? "" : value);
	}
	element.append(...present(content));
	return element;
}

const on = (element, kind, work, options) => element.addEventListener(kind, work, options);

/** What of it there is: null and false stand for nothing. */
const present = (content) => content.flat(3).filter((child) => child != null && child !== false);

/** In place of what was in an element. */
const put = (element, ...content) => element.replaceChildren(...present(content));
