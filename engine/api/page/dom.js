// Builds elements. Text from outside goes in as text nodes only; the policy of the page forbids markup from strings.

export const $ = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// Characters that show nothing, turn the direction of text, or end a line in secret.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Cs}|\p{Co}/u;
const ODD = /[^\u0000-\u007f]/u;

const codePoint = (letter) => "U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// The exact text, each hidden character as a label; with `marking`, letters beyond ASCII are underlined and named.
export function exact(text, marking = false) {
  const parts = document.createDocumentFragment();
  let plain = "";
  const flush = () => {
    if (marking) parts.append(...plain.split(/(\s+)/).filter((word) => word !== "").map(unbroken));
    else if (plain !== "") parts.append(plain);
    plain = "";
  };
  for (const letter of text) {
    if (HIDDEN.test(letter)) {
      flush();
      parts.append(el("span", { class: "hidden-character", title: "A character that does not show" }, codePoint(letter)));
    } else if (marking && ODD.test(letter)) {
      flush();
      parts.append(el("span", { class: "odd-character", title: codePoint(letter) }, letter));
    } else plain += letter;
  }
  flush();
  return parts;
}

// A word of a command stays on one line where it fits: "rm -" at the end of a line and "rf" on the next is misread.
function unbroken(word) {
  return word.includes("-") || word.includes("/") ? el("span", { class: "unbroken" }, word) : word;
}

export function setExact(element, text, marking = false) {
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  element.replaceChildren(exact(text, marking));
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function tell(element, sentence) {
  element.hidden = !sentence;
  setText(element, sentence || "");
}

// Keeps one element per item and its place; what a person is typing inside it stays. Returns whether anything moved.
export function sync(container, items, make, update) {
  const known = new Map(Array.from(container.children, (child) => [child.dataset.key, child]));
  let moved = false;
  items.forEach((item, place) => {
    let child = known.get(item.id);
    known.delete(item.id);
    if (child === undefined) {
      child = make(item);
      child.dataset.key = item.id;
    }
    if (container.children[place] !== child) {
      container.insertBefore(child, container.children[place] || null);
      moved = true;
    }
    update(child, item);
  });
  for (const gone of known.values()) {
    gone.remove();
    moved = true;
  }
  return moved;
}

export function clock(iso) {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
