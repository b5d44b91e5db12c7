import { showCard } from './card.js';
import { createComposer } from './composer.js';
import { createCommandView } from './conversation.js';
import { createCredentialDialog } from './credential.js';
import { byId } from './dom.js';
import { followEvents, Refused } from './event-stream.js';
import { at } from './json.js';
import { connect, problemText, TYPED } from './server.js';
import { createSessionList } from './sessions.js';
import { createTheme } from './theme.js';

const credential = createCredentialDialog();
const server = connect({ ask: credential.ask });
const sessions = createSessionList({ server, open: (id) => go(id) });
const composer = createComposer({ send, stop });

/** What is on the page: a session with the commands that run in it, until another one is opened. */
let session;

function newSession(id) {
  session?.leave.abort();
  session = { id, leave: new AbortController(), running: new Map(), question: undefined };
  byId('log').replaceChildren();
  byId('lost').hidden = true;
  byId('welcome').hidden = location.hash !== '';
  sessions.select(id);
  settle(session);
}

/** A session has an address, so that it can be reloaded, kept and come back to. */
function go(id) {
  location.hash = id === undefined ? '' : `#/sessions/${encodeURIComponent(id)}`;
  closeSide();
  // At once: the event of the address comes later, and what is clicked meanwhile would belong to the session before.
  show();
}

async function show() {
  const id = /^#\/sessions\/([^/]+)$/.exec(location.hash)?.[1];
  const wanted = id === undefined ? undefined : decodeURIComponent(id);
  if (session.id === wanted) return;
  newSession(wanted);
  if (wanted === undefined) return byId('prompt').focus();
  const opened = session;
  try {
    await replay(opened);
  } catch (error) {
    if (opened === session) refuse(error);
  }
}

/** The commands of a session in the order in which they were sent; one that waits or runs is followed live. */
async function replay(opened) {
  const commands = [];
  let page;
  do {
    const { commands: some, next_page: next } = await server.session(opened.id, page);
    commands.push(...some);
    page = next ?? undefined;
  } while (page !== undefined);
  commands.sort((one, other) => one.created_at_ms - other.created_at_ms);
  for (const { command_id: id, structured, terminal } of commands) {
    if (opened.leave.signal.aborted) return;
    const view = addView({ typed: structured });
    const task = await server.call('GetTask', { id });
    const [first, ...replies] = wordsOf(task);
    view.ask(first ?? '');
    const followed = follow(opened, { id, view, replies });
    if (terminal) await followed;
  }
}

async function follow(opened, { id, view, replies = [] }) {
  const { signal } = opened.leave;
  opened.running.set(id, view);
  view.working(true);
  settle(opened);
  try {
    const lost = (gone) => {
      byId('lost').hidden = !gone;
    };
    for await (const event of followEvents(server.chatUrl(id), { request: server.request, signal, lost })) {
      if (signal.aborted) return;
      const status = event.event === 'status' ? JSON.parse(event.data).status : undefined;
      if (status === 'input_required' || status === 'auth_required') opened.question = id;
      if (status === 'working') {
        opened.question = undefined;
        const reply = replies.shift();
        if (reply !== undefined) view.reply(reply);
      }
      keepDown(() => view.frame(event));
      if (status !== undefined) {
        view.working(opened.question !== id);
        settle(opened);
      }
      if (event.event === 'done' || event.event === 'error') break;
    }
    const task = await server.call('GetTask', { id });
    if (!signal.aborted) keepDown(() => view.artifacts(task));
  } catch (error) {
    if (!signal.aborted) view.refused(sentenceOf(error));
  } finally {
    view.working(false);
    opened.running.delete(id);
    if (opened.question === id) opened.question = undefined;
    settle(opened);
    sessions.refresh().catch(() => {});
  }
}

async function send({ words, schema }) {
  const sent = session;
  const question = sent.question;
  const view = question === undefined ? addView({ typed: schema !== undefined }) : sent.running.get(question);
  byId('welcome').hidden = true;
  if (question === undefined) view.ask(words);
  else view.reply(words);
  scrollDown();
  try {
    const result = await server.call('SendMessage', requestOf({ words, schema, sent, question }), {
      extensions: schema === undefined ? [] : [TYPED],
    });
    const task = at(result, 'task');
    if (task === undefined) return view.message(at(result, 'message'));
    if (question !== undefined) return;
    const id = at(task, 'id').value;
    if (sent.id === undefined) {
      sent.id = at(task, 'contextId').value;
      if (sent === session) go(sent.id);
    }
    follow(sent, { id, view });
    await sessions.refresh();
    sessions.select(session.id);
  } catch (error) {
    view.refused(sentenceOf(error));
  }
}

const requestOf = ({ words, schema, sent, question }) => ({
  message: {
    messageId: randomId(),
    role: 'ROLE_USER',
    parts: [{ text: words }],
    ...(sent.id !== undefined && { contextId: sent.id }),
    ...(question !== undefined && { taskId: question }),
    ...(schema !== undefined && { extensions: [TYPED] }),
  },
  configuration: {
    acceptedOutputModes: schema === undefined ? ['text/plain', 'application/json'] : ['application/json'],
    returnImmediately: true,
  },
  ...(schema !== undefined && {
    metadata: { kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: schema } },
  }),
});

async function stop() {
  const [id] = session.running.keys();
  if (id === undefined) return;
  try {
    await server.call('CancelTask', { id });
  } catch (error) {
    composer.note(sentenceOf(error));
  }
}

function addView({ typed }) {
  const view = createCommandView({ typed });
  byId('log').append(view.root);
  return view;
}

function settle(changed) {
  if (changed !== session) return;
  composer.busy(changed.running.size > 0);
  composer.answering(changed.question !== undefined);
  composer.note('');
}

function refuse(error) {
  addView({ typed: false }).refused(sentenceOf(error));
}

const wordsOf = (task) =>
  (at(task, 'history')?.items ?? [])
    .filter((message) => at(message, 'role')?.value === 'ROLE_USER')
    .map((message) =>
      (at(message, 'parts')?.items ?? []).map((part) => at(part, 'text')?.value ?? '').join('\n\n'),
    );

const sentenceOf = (error) =>
  (error instanceof Refused ? problemText(error.message) : undefined) ?? error.message ?? String(error);

/** Not `randomUUID`, which a browser keeps from pages that came without TLS. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

const scroll = byId('scroll');
const scrollDown = () => {
  scroll.scrollTop = scroll.scrollHeight;
};

/** Stays at the end of the conversation for those who are there, and leaves those alone who read further up. */
function keepDown(change) {
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  change();
  if (atEnd) scrollDown();
}

const menu = byId('menu');
function closeSide() {
  menu.setAttribute('aria-expanded', 'false');
}
menu.addEventListener('click', () => {
  menu.setAttribute('aria-expanded', String(menu.getAttribute('aria-expanded') !== 'true'));
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || menu.getAttribute('aria-expanded') !== 'true') return;
  closeSide();
  menu.focus();
});

createTheme(byId('theme'));
// Before the card has come: whoever is quick may write already.
newSession(undefined);
byId('prompt').focus();
byId('new-session').addEventListener('click', () => {
  if (session.id === undefined) newSession(undefined);
  go(undefined);
});
addEventListener('hashchange', show);

try {
  const card = await server.card();
  credential.know(card);
  const { maxSchemaBytes } = showCard(card, { use: composer.fill });
  composer.offer(maxSchemaBytes);
} catch (error) {
  refuse(error);
}
await Promise.all([show(), sessions.refresh().catch(refuse)]);
