/**
 * Makes an element. Text is set as text, never as HTML: whatever an agent writes, it stays what it is. `on` holds
 * listeners by event; other keys are attributes, left out when false or undefined.
 */
export function element(tag, { text, on = {}, ...attributes } = {}, children = []) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  made.append(...children);
  return made;
}

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/** A time as people read it: the hour today, else the date. */
export function timeText(milliseconds) {
  const time = new Date(milliseconds);
  const today = time.toDateString() === new Date().toDateString();
  return today
    ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : time.toLocaleDateString([], { day: 'numeric', month: 'short' });
}

/** A button that copies what `textOf` gives, and says for a moment that it did. */
export function copyButton(label, textOf) {
  const button = element('button', { type: 'button', class: 'quiet', text: label });
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(textOf());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'The browser refused';
    }
    setTimeout(() => {
      button.textContent = label;
    }, 1_500);
  });
  return button;
}

/** A button that hands `bytes` to the browser as a file. */
export function saveButton(label, { bytes, type, name }) {
  return element('button', {
    type: 'button',
    class: 'quiet',
    text: label,
    on: {
      click: () => {
        const url = URL.createObjectURL(new Blob([bytes], { type }));
        element('a', { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
      },
    },
  });
}
