import { type Shape, shapesAt, textAt } from '../kit/json-line.js';
import { permissionKind } from './decode.js';

/** Answers permission requests by kind of tool call; `undefined` where it is another method. What is not allowed is denied. */
export function answerPermission({
  permissions,
  kindOf,
}: {
  readonly permissions: ReadonlySet<string>;
  readonly kindOf: (toolCallId: string) => string | undefined;
}): (method: string, params: Shape) => Promise<Shape> | undefined {
  return (method, params) => {
    if (method === 'elicitation/create') return Promise.resolve({ action: 'decline' });
    if (method !== 'session/request_permission') return undefined;
    const allowed = permissions.has(permissionKind(params, kindOf));
    // Never for longer than this once, where the agent offers that.
    const wanted = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
    const options = shapesAt(params, 'options').map(([option]) => option);
    const chosen = wanted.flatMap((kind) => options.filter((option) => option.kind === kind)).at(0);
    const optionId = chosen === undefined ? undefined : textAt(chosen, 'optionId');
    const outcome = optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
    return Promise.resolve({ outcome });
  };
}
