import { v7 } from 'uuid';
import { KediError } from '../domain/errors.js';
import type { Part } from '../domain/message.js';
import { explain, timedOut } from './failure.js';
import type { Jobs } from './jobs.js';
import { type Order, refusalOf } from './order.js';
import type { Surroundings } from './perform.js';
import { createTurns } from './turn.js';

/**
 * Asks the agent whether it answers with a message of its own in place of a task; undefined: it does not. In order with
 * the turns of its context, and under the same deadline. What the agent throws: KediError INTERNAL.
 */
export async function askDirectly(
  order: Order,
  shared: Surroundings & { readonly jobs: Jobs },
): Promise<readonly Part[] | undefined> {
  const { agent, bounds, jobs } = shared;
  if (agent.reply === undefined || order.structured !== undefined) return undefined;
  if (refusalOf(order, bounds.promptBytes) !== undefined) return undefined;
  const key = { principal: order.principal, contextId: order.contextId, taskId: v7() };
  return await jobs.take(key, async (place, stop) => {
    await place.turn(stop);
    const deadline = setTimeout(() => stop.abort(timedOut(bounds)), bounds.turnMs);
    try {
      const turns = createTurns({
        ...shared,
        ...key,
        order,
        contextIsNew: order.contextIsNew,
        output: undefined,
        earlier: 0,
        stop,
      });
      const turn = await turns.turn(undefined);
      return await stop.unlessAborted(Promise.resolve(agent.reply?.(turn)));
    } catch (thrown) {
      const { message } = explain(thrown, { ...shared, taskId: key.taskId });
      throw new KediError('INTERNAL', message, { cause: thrown });
    } finally {
      clearTimeout(deadline);
    }
  });
}
