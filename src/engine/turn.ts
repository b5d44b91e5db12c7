import type { Turn } from '../domain/agent.js';
import type { OpenSession, Sessions, TaskLog } from '../domain/ports.js';
import type { OutputSchema } from '../domain/schema.js';
import { readHistory } from './history.js';
import { type Order, promptOf } from './order.js';
import type { Stop } from './stop.js';

/** Makes the turns of one order: of each of its attempts one, in the same conversation. */
export interface Turns {
  turn(refused: Turn['refused']): Promise<Turn>;
  /** The agent calls the conversation so from now on; durable when it resolves. */
  named(session: string): Promise<void>;
}

export function createTurns({
  order,
  contextIsNew,
  output,
  taskId,
  earlier,
  agentKind,
  sessions,
  log,
  stop,
}: {
  readonly order: Order;
  /** Nothing was said or kept in the context before. */
  readonly contextIsNew: boolean;
  readonly output: OutputSchema | undefined;
  readonly taskId: string;
  /** How many entries the task's log has before this order. */
  readonly earlier: number;
  readonly agentKind: string;
  readonly sessions: Sessions;
  readonly log: TaskLog;
  readonly stop: Stop;
}): Turns {
  const { principal, contextId, message } = order;
  let opened: OpenSession | undefined;
  let session: string | undefined;

  const open = async (): Promise<OpenSession> => {
    if (opened === undefined) {
      opened = await sessions.open({ principal, contextId, isNew: contextIsNew }, agentKind);
      session = opened.session;
    }
    return opened;
  };

  return {
    async turn(refused) {
      const conversation = await open();
      return withDear({
        taskId,
        contextId,
        messageId: message.messageId,
        prompt: promptOf(message.parts),
        parts: message.parts,
        history: async () =>
          contextIsNew ? [] : readHistory({ log, principal, contextId, taskId, earlier }),
        metadata: order.metadata,
        acceptedOutputModes: order.acceptedOutputModes,
        output,
        refused,
        session,
        [kept]: { conversation, stop },
      });
    },
    async named(name) {
      const conversation = await open();
      if (name === session) return;
      session = name;
      await conversation.rename(name);
    },
  };
}

/** Where a turn keeps what its own properties come from. */
const kept = Symbol('kept');

interface Keeping {
  readonly [kept]: { readonly conversation: OpenSession; readonly stop: Stop };
}

/**
 * What is made only for an agent that looks at it. The getters are the same for all turns: written into each of them,
 * every turn would be an object of a kind of its own to the engine of JavaScript, and live on long after its end.
 */
const dear = {
  workspace: {
    enumerable: true,
    get(this: Keeping): Turn['workspace'] {
      return this[kept].conversation.workspace();
    },
  },
  signal: {
    enumerable: true,
    get(this: Keeping): Turn['signal'] {
      return this[kept].stop.signal;
    },
  },
};

const withDear = (turn: Omit<Turn, keyof typeof dear> & Keeping): Turn =>
  Object.defineProperties(turn, dear) as Turn & Keeping;
