import { byId, element, timeText } from './dom.js';

/** The list of sessions at the side; `open` hears the one that somebody picks. */
export function createSessionList({ server, open }) {
  const list = byId('sessions');
  const more = byId('more-sessions');
  let next;
  let current;

  const mark = () => {
    for (const button of list.querySelectorAll('button')) {
      if (button.dataset.session === current) button.setAttribute('aria-current', 'page');
      else button.removeAttribute('aria-current');
    }
  };

  const add = async (page) => {
    const { sessions, next_page: following } = await server.sessions(page);
    if (page === undefined) list.replaceChildren();
    list.append(...sessions.map((session) => element('li', {}, [sessionButton(session, open)])));
    next = following ?? undefined;
    more.hidden = next === undefined;
    mark();
  };
  more.addEventListener('click', () => add(next));

  return {
    refresh: () => add(undefined),
    select(session) {
      current = session;
      mark();
    },
  };
}

function sessionButton(session, open) {
  const state = session.state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ');
  const commands = session.command_count === 1 ? '1 request' : `${session.command_count} requests`;
  return element(
    'button',
    { type: 'button', 'data-session': session.session_id, on: { click: () => open(session.session_id) } },
    [
      element('span', { class: `dot ${state.replaceAll(' ', '-')}`, title: state }),
      element('span', { class: 'session-title', text: session.title || session.session_id }),
      element('span', { class: 'session-facts', text: `${timeText(session.updated_at_ms)} · ${commands}` }),
      element('span', { class: 'visually-hidden', text: state }),
    ],
  );
}
