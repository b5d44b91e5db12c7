/** What the scripted model does with one request. JSON texts travel to the client as the bytes written here. */
export type ModelStep =
  /** Says something; `thinking` goes before it where the protocol has a place for it. */
  | { readonly do: 'text'; readonly text: string; readonly thinking?: string; readonly finish?: ModelFinish }
  /** Calls tools, after some words if `text` is set. */
  | { readonly do: 'tools'; readonly calls: readonly ToolCall[]; readonly text?: string }
  /** Gives a document in the way that the request asks for one: by its output tool if it has one, else as text. */
  | { readonly do: 'structured'; readonly document: string }
  /** Refuses with an HTTP status and an error in the form of the protocol. */
  | {
      readonly do: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfter?: string;
    }
  /** Begins to say something and closes the socket in the middle of it. */
  | { readonly do: 'drop'; readonly text?: string }
  /** Says something a piece at a time, `everyMs` between the pieces. */
  | { readonly do: 'slow'; readonly text: string; readonly everyMs: number }
  /** Takes the request and never answers. */
  | { readonly do: 'hang' };

export type ModelFinish = 'stop' | 'length' | 'content-filter';

export interface ToolCall {
  readonly name: string;
  /** The group of tools that it is in, where the protocol has such (OpenAI Responses). */
  readonly namespace?: string;
  /** JSON text of the arguments, sent as it is. */
  readonly input: string;
}

/** A request to the model, as its protocol's reader understood it. */
export interface ModelRequest {
  readonly protocol: 'anthropic' | 'responses' | 'chat-completions' | 'gemini';
  readonly path: string;
  /** Counts the requests of this server from 1, so that ids made from it are never the same twice. */
  readonly number: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it came. */
  readonly body: string;
  readonly model: string;
  readonly streams: boolean;
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[];
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Of a tool's result: the tool said that it failed. */
  readonly failed?: boolean;
}

export type ModelScript = (request: ModelRequest) => ModelStep;

/** The last thing that a person said in this conversation. */
export const lastPrompt = (request: ModelRequest): string =>
  request.messages.findLast((message) => message.role === 'user')?.text ?? '';

/** What tools answered since the model last spoke. */
export function toolResults(request: ModelRequest): readonly ModelMessage[] {
  const spoke = request.messages.findLastIndex((message) => message.role === 'assistant');
  return request.messages.slice(spoke + 1).filter((message) => message.role === 'tool');
}

/** Gives this document to every request, and ends the turn once a tool of the harness has taken it. */
export const alwaysDocument =
  (document: string): ModelScript =>
  (request) =>
    toolResults(request).some((result) => result.failed !== true)
      ? { do: 'text', text: 'Done.' }
      : { do: 'structured', document };

/** Plays the steps one after the other, the last one for ever. */
export function inOrder(...steps: readonly ModelStep[]): ModelScript {
  let played = 0;
  return () => {
    const step = steps[Math.min(played, steps.length - 1)];
    played += 1;
    if (step === undefined) throw new Error('The script has no steps.');
    return step;
  };
}
