import type { Line, OutputEvent } from '../../domain/agent.js';

/** Runs a program in its session, and once more in a new one where it says that it does not know that one any more. */
export async function* resumed<R>({
  name,
  session,
  run,
  isLost,
}: {
  /** The program's name, for the sentence that says so. */
  readonly name: string;
  readonly session: string | undefined;
  /** `notices` are said with its first line. */
  readonly run: (
    session: string | undefined,
    notices: readonly OutputEvent[],
  ) => AsyncGenerator<Line, R, void>;
  readonly isLost: (ran: R) => boolean;
}): AsyncGenerator<Line, R, void> {
  const ran = yield* run(session, []);
  if (session === undefined || !isLost(ran)) return ran;
  const text = `${name} no longer knows the conversation ${session}; a new one is begun.`;
  return yield* run(undefined, [{ type: 'status', status: 'session_lost', text }]);
}
