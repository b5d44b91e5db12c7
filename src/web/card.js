import { byId, element } from './dom.js';
import { TYPED } from './server.js';

const CHAT = 'https://agentic-sandbox.aiwg.io/extensions/agent-output/v1';

/** Shows what the card says; `use` hears an example that somebody picks. Gives what the composer needs of it. */
export function showCard(card, { use }) {
  document.title = card.name;
  byId('agent-name').textContent = card.name;
  byId('agent-version').textContent = card.version ?? '';
  byId('agent-description').textContent = card.description ?? '';

  const extensions = card.capabilities?.extensions ?? [];
  const typed = extensions.find(({ uri }) => uri === TYPED)?.params;
  const chat = extensions.find(({ uri }) => uri === CHAT)?.params;
  byId('agent-facts').replaceChildren(
    ...[
      card.provider?.organization,
      typed && 'typed answers',
      chat && `live chat from ${chat.sources.join(', ')}`,
      card.capabilities?.streaming && 'streaming',
      ...(card.supportedInterfaces ?? []).map(({ protocolBinding, protocolVersion }) =>
        protocolBinding.includes('/') ? undefined : `${protocolBinding} ${protocolVersion}`,
      ),
    ]
      .filter(Boolean)
      .map((fact) => element('li', { text: fact })),
  );
  byId('agent-skills').replaceChildren(...(card.skills ?? []).map((skill) => skillView(skill, use)));
  return { maxSchemaBytes: typed?.mode === 'request-schema' ? typed.maxSchemaBytes : undefined };
}

const skillView = ({ name, description, examples = [] }, use) =>
  element('article', { class: 'skill' }, [
    element('h2', { text: name }),
    element('p', { text: description }),
    element(
      'div',
      { class: 'examples' },
      examples.map((example) =>
        element('button', {
          type: 'button',
          class: 'chip',
          text: example,
          on: { click: () => use(example) },
        }),
      ),
    ),
  ]);
