import { expect, it } from 'vitest';
import { eventually, message, says, scripted, startA2aHost } from '../support/a2a-host.js';
import { call, dial, post } from '../support/raw-http.js';

it('Calls that wait behind others on a connection are let go with it, however many', async () => {
  const agentKind = scripted(async function* ({ prompt }) {
    if (prompt === 'ask') return { kind: 'question', text: 'Which?' };
    await new Promise((resolve) => setTimeout(resolve, 300));
    yield says(prompt);
    return { kind: 'done' };
  });
  const host = await startA2aHost({ agentKind });
  const { task } = await host.result('SendMessage', { message: message('ask') });
  const open = async (): Promise<number> => {
    const text = await (await fetch(`${host.url}/metrics`)).text();
    return Number(/^kedi_a2a_event_streams (\d+)$/m.exec(text)?.[1]);
  };

  const { socket } = dial(host.url);
  socket.write(post(call(1, 'SendMessage', { message: message('slow') })));
  for (let id = 2; id < 30; id += 1) socket.write(post(call(id, 'SubscribeToTask', { id: task.id })));
  for (let id = 30; id < 60; id += 1)
    socket.write(post(call(id, 'SendMessage', { message: message('slow') })));
  await eventually(async () => (await open()) === 28);
  socket.destroy();
  await eventually(async () => (await open()) === 0);
  await host.result('CancelTask', { id: task.id });
  expect(host.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
