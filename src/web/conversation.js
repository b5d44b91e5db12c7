import { copyButton, element, saveButton } from './dom.js';
import { at, readJson } from './json.js';
import { jsonView, nodeView, shortText } from './json-view.js';
import { bytesOf, TYPED } from './server.js';

/**
 * One command of a conversation on the page: what was asked, then what its frames tell. Every frame is read with its
 * digits kept, and shown as text.
 */
export function createCommandView({ typed }) {
  const question = element('div', { class: 'asked' });
  const body = element('div', { class: 'answered' });
  const root = element('section', { class: 'command' }, [question, body]);
  const tools = new Map();
  let speech;
  let aside;
  let end;

  /** Where a frame goes: into the tool call whose subagent speaks, else into the conversation. */
  const placeOf = (data) => {
    const parent = at(data, 'parent_tool_id')?.value;
    return (parent !== undefined && tools.get(parent)?.body) || body;
  };

  const show = (place, node) => {
    if (place === body) {
      speech = undefined;
      aside = undefined;
    }
    place.append(node);
  };

  /** Statuses and raw lines are there for who wants them: those that follow each other fold into one. */
  const showAside = (place, node) => {
    if (place !== body) return place.append(node);
    if (aside === undefined) {
      speech = undefined;
      const list = element('div', { class: 'aside-list' });
      const summary = element('summary');
      aside = { list, summary, root: element('details', { class: 'aside' }, [summary, list]) };
      body.append(aside.root);
    }
    aside.list.append(node);
    const { length } = aside.list.children;
    const last = node.dataset.summary;
    aside.summary.textContent = length === 1 ? last : `${last} · ${length} events`;
  };

  const shown = {
    delta(data) {
      const words = text(data, 'content');
      if (speech === undefined) {
        const begun = element('div', { class: 'said' }, [words.replace(/^\n+/, '')]);
        show(body, begun);
        speech = begun;
      } else speech.append(words);
    },
    tool_call(data) {
      const input = at(data, 'input') ?? { kind: 'literal', text: 'null' };
      const state = element('span', { class: 'badge running', text: 'running' });
      const content = element('div', { class: 'tool-body' }, [nodeView(input)]);
      const root = element('details', { class: 'tool' }, [
        element('summary', {}, [
          element('span', { class: 'tool-name', text: text(data, 'name') }),
          element('span', { class: 'tool-input', text: shortText(input, 80) }),
          state,
        ]),
        content,
      ]);
      tools.set(text(data, 'tool_id'), { body: content, state });
      show(placeOf(data), root);
    },
    tool_result(data) {
      const ok = text(data, 'status') === 'ok';
      const tool = tools.get(text(data, 'tool_id'));
      const result = element('pre', { class: ok ? 'result' : 'result failed', text: text(data, 'content') });
      if (tool === undefined) return show(placeOf(data), result);
      tool.state.className = ok ? 'badge ok' : 'badge failed';
      tool.state.textContent = ok ? 'done' : 'failed';
      tool.body.append(result);
    },
    status(data) {
      const status = text(data, 'status');
      const content = text(data, 'content');
      if (status === 'working') return;
      if (status === 'input_required' || status === 'auth_required') {
        return show(body, element('div', { class: 'question' }, [element('p', { text: content })]));
      }
      if (status === 'subagent') {
        return placeOf(data).append(element('p', { class: 'subagent', text: content }));
      }
      showAside(
        placeOf(data),
        element('p', { class: 'status', 'data-summary': content || status }, [
          element('span', { class: 'status-name', text: status }),
          ` ${content}`,
        ]),
      );
    },
    raw(data) {
      const stderr = at(data, 'stream')?.value === 'stderr';
      showAside(
        placeOf(data),
        element('pre', {
          class: 'raw',
          text: text(data, 'content'),
          'data-summary': stderr ? 'line on stderr' : 'line of the agent',
        }),
      );
    },
    done(data) {
      const reason = text(data, 'finish_reason');
      end = figures(data, reason === 'stop' ? undefined : `ended: ${reason}`);
      show(body, end);
    },
    error(data) {
      const code = text(data, 'code');
      show(
        body,
        element('div', { class: code === 'CANCELED' ? 'failure canceled' : 'failure', role: 'alert' }, [
          element('strong', { text: code }),
          element('p', { text: text(data, 'error') }),
        ]),
      );
      if (at(data, 'usage') !== undefined || at(data, 'total_cost_usd') !== undefined) {
        show(body, figures(data));
      }
    },
  };

  return {
    root,
    /** The client's own words, in the order in which they were sent. */
    ask(words) {
      question.append(
        element('div', { class: 'bubble' }, [
          ...(typed ? [element('span', { class: 'badge', text: 'typed' })] : []),
          element('p', { text: words }),
        ]),
      );
    },
    /** A further message to the same command, after its question. */
    reply(words) {
      show(
        body,
        element('div', { class: 'asked' }, [
          element('div', { class: 'bubble' }, [element('p', { text: words })]),
        ]),
      );
    },
    /** Whether the agent is at work on it. */
    working(on) {
      root.classList.toggle('working', on);
      root.setAttribute('aria-busy', String(on));
    },
    frame({ event, data }) {
      shown[event]?.(readJson(data));
    },
    /** An answer without a task: a message of the agent's. */
    message(node) {
      for (const part of at(node, 'parts')?.items ?? []) show(body, partView(part));
    },
    /** What the task holds beside its text: a typed result, files and data; before what it cost. */
    artifacts(task) {
      for (const artifact of at(task, 'artifacts')?.items ?? []) {
        if (at(artifact, 'artifactId')?.value === 'response') continue;
        const shownArtifact = artifactView(artifact);
        if (end === undefined) show(body, shownArtifact);
        else end.before(shownArtifact);
      }
    },
    refused(sentence) {
      show(body, element('div', { class: 'failure', role: 'alert' }, [element('p', { text: sentence })]));
    },
  };
}

const text = (data, key) => at(data, key)?.value ?? '';

/** The end of a run: model, tokens and cost, each with the digits that the agent wrote. */
function figures(data, note) {
  const model = text(data, 'model');
  const usage = at(data, 'usage');
  const cost = at(data, 'total_cost_usd');
  const input = count(usage, ['input_tokens', 'inputTokens', 'prompt_tokens']);
  const output = count(usage, ['output_tokens', 'outputTokens', 'completion_tokens']);
  const told = [
    note,
    model === '' ? undefined : model,
    input === undefined ? undefined : `${input} tokens in`,
    output === undefined ? undefined : `${output} out`,
    cost === undefined ? undefined : `$${cost.text}`,
  ].filter((each) => each !== undefined);
  const line = element(
    'p',
    { class: 'figures' },
    (told.length === 0 ? ['done'] : told).map((each) => element('span', { text: each })),
  );
  if (usage === undefined) return line;
  return element('details', { class: 'figures-more' }, [element('summary', {}, [line]), nodeView(usage)]);
}

/** A number by the first of its names in various agents' accounts. */
const count = (usage, names) =>
  names.map((name) => at(usage, name)?.text).find((found) => found !== undefined);

function artifactView(artifact) {
  const parts = at(artifact, 'parts')?.items ?? [];
  const extensions = at(artifact, 'extensions')?.items ?? [];
  const typed = extensions.some(({ value }) => value === TYPED);
  const name = text(artifact, 'name') || text(artifact, 'artifactId');
  const file = parts.length === 1 && at(parts[0], 'filename')?.value === name;
  return element('article', { class: typed ? 'artifact typed' : 'artifact' }, [
    ...(file ? [] : [element('header', {}, [element('strong', { text: typed ? 'Typed result' : name })])]),
    ...parts.map((part) => partView(part, typed ? 'result.json' : undefined)),
  ]);
}

function partView(part, name) {
  const type = text(part, 'mediaType');
  const file = text(part, 'filename') || name || 'file';
  const raw = at(part, 'raw')?.value;
  if (raw !== undefined) {
    const bytes = bytesOf(raw);
    if (type === 'application/json') return documentView(new TextDecoder().decode(bytes), { bytes, file });
    return element('div', { class: 'file' }, [
      element('span', {
        text: `${file} · ${type || 'unknown type'} · ${bytes.length.toLocaleString()} bytes`,
      }),
      saveButton('Save', { bytes, type: 'application/octet-stream', name: file }),
    ]);
  }
  const data = at(part, 'data');
  if (data !== undefined) return nodeView(data);
  const url = at(part, 'url')?.value;
  if (url !== undefined) {
    const web = /^https?:\/\//i.test(url);
    return element('p', {}, [
      web ? element('a', { href: url, rel: 'noopener noreferrer', target: '_blank', text: url }) : url,
    ]);
  }
  return element('div', { class: 'said', text: text(part, 'text') });
}

/** A document pretty to read, and its bytes to take along. */
function documentView(document, { bytes, file }) {
  return element('div', { class: 'document' }, [
    jsonView(document),
    element('footer', {}, [
      element('span', {
        class: 'muted',
        text: `${bytes.length.toLocaleString()} bytes, as the agent wrote them`,
      }),
      copyButton('Copy', () => document),
      saveButton('Save', { bytes, type: 'application/json', name: file }),
    ]),
  ]);
}
