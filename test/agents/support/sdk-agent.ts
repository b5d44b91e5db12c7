import { createServer } from 'node:http';
import { AgentCard, type Message, type Part, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { onTestFinished } from 'vitest';

/** A plain text agent as others build one: the SDK's own handler with its store in memory, on Express. */
export async function startSdkAgent(
  says: (prompt: string) => Iterable<string> | AsyncIterable<string>,
): Promise<{
  readonly url: string;
  readonly prompts: readonly string[];
  readonly canceled: readonly string[];
}> {
  const prompts: string[] = [];
  const canceled: string[] = [];
  const status = (state: TaskState) => ({ state, message: undefined, timestamp: new Date().toISOString() });
  const executor: ConstructorParameters<typeof DefaultRequestHandler>[2] = {
    async execute({ taskId, contextId, userMessage }, bus) {
      const ids = { taskId, contextId, metadata: undefined };
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: status(TaskState.TASK_STATE_SUBMITTED),
          artifacts: [],
          history: [userMessage],
          metadata: undefined,
        }),
      );
      const prompt = textOf(userMessage);
      prompts.push(prompt);
      let append = false;
      for await (const text of says(prompt)) {
        if (canceled.includes(taskId)) return;
        bus.publish(
          AgentEvent.artifactUpdate({
            ...ids,
            append,
            lastChunk: false,
            artifact: {
              artifactId: 'answer',
              name: 'answer',
              description: '',
              parts: [textPart(text)],
              metadata: undefined,
              extensions: [],
            },
          }),
        );
        append = true;
      }
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_COMPLETED) }));
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      canceled.push(taskId);
      const ids = { taskId, contextId: '', metadata: undefined };
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_CANCELED) }));
      bus.finished();
    },
  };

  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const card = AgentCard.fromJSON({
    name: 'Plain',
    description: 'Answers in words.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'plain', name: 'Plain', description: 'Words.', tags: ['words'] }],
  });
  app.get('/.well-known/agent-card.json', (_, response) => void response.json(AgentCard.toJSON(card)));
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return { url, prompts, canceled };
}

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

const textOf = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n\n');
