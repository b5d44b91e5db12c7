import { byId, element } from './dom.js';
import { examples } from './examples.js';
import { JsonError, position, readJson } from './json.js';

/**
 * The box in which a request is written: text, or with the schema that its answer shall have. `send` hears
 * `{words, schema}`, `stop` that the work shall end.
 */
export function createComposer({ send, stop }) {
  const prompt = byId('prompt');
  const schema = byId('schema');
  let maxSchemaBytes;
  let waiting = false;

  const typed = () => byId('kind-typed').checked && !waiting;

  const grow = () => {
    prompt.style.height = 'auto';
    prompt.style.height = `${prompt.scrollHeight}px`;
  };

  /** What is wrong with the schema as it stands; undefined when it can be sent. */
  const fault = () => {
    try {
      readJson(schema.value);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const { line, column } = position(schema.value, error.offset);
      return `Line ${line}, column ${column}: ${error.message}.`;
    }
    return bytes() > maxSchemaBytes ? `${bytes()} bytes are over the limit of ${maxSchemaBytes}.` : undefined;
  };
  const bytes = () => new TextEncoder().encode(schema.value).length;

  const update = () => {
    byId('typed-fields').hidden = !typed();
    const wrong = typed() ? fault() : undefined;
    schema.setAttribute('aria-invalid', String(wrong !== undefined));
    byId('schema-note').textContent =
      wrong ??
      `${bytes().toLocaleString()} of ${(maxSchemaBytes ?? 0).toLocaleString()} bytes. The answer is checked against it, or there is none.`;
    byId('schema-note').classList.toggle('wrong', wrong !== undefined);
  };

  const pick = ({ prompt: words, schema: text }) => {
    const untouched = prompt.value === '' || examples.some((example) => example.prompt === prompt.value);
    schema.value = text;
    if (untouched) prompt.value = words;
    update();
    grow();
  };

  byId('example').append(
    ...examples.map(({ name }, index) => element('option', { value: String(index), text: name })),
  );
  byId('example').addEventListener('change', (event) => pick(examples[Number(event.target.value)]));
  for (const radio of document.querySelectorAll('input[name="kind"]')) {
    radio.addEventListener('change', () => {
      if (typed() && schema.value === '') pick(examples[0]);
      update();
    });
  }
  schema.addEventListener('input', update);
  // Tab leaves the field, as everywhere; indentation is typed.
  prompt.addEventListener('input', grow);
  prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    byId('composer').requestSubmit();
  });
  byId('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    const words = prompt.value.trim();
    if (words === '' || (typed() && fault() !== undefined)) return;
    prompt.value = '';
    grow();
    send({ words, schema: typed() ? schema.value : undefined });
  });
  byId('stop').addEventListener('click', stop);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches?.('input, textarea, select')) return;
    event.preventDefault();
    prompt.focus();
  });

  return {
    /** Typed answers are offered when the card has them. */
    offer(limit) {
      maxSchemaBytes = limit;
      const choice = byId('kind-typed');
      choice.disabled = limit === undefined;
      choice.parentElement.title = limit === undefined ? 'This agent gives no typed answers.' : '';
      update();
    },
    /** The agent has asked something: what is written next answers it. */
    answering(question) {
      waiting = question;
      prompt.placeholder = question ? 'Answer the agent' : 'Message the agent';
      update();
    },
    busy(running) {
      byId('stop').hidden = !running;
    },
    note(sentence) {
      byId('composer-note').textContent = sentence;
    },
    fill(words) {
      prompt.value = words;
      grow();
      prompt.focus();
    },
  };
}
