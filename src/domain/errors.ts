/**
 * Every way in which something can go wrong, by the code that a client, a chat and an exit status see. `exit` is the
 * status with which `kedi-a2a call` ends. The first group ends a task; the second refuses a request before there is a
 * task, under the names of A2A 1.0 (`google.rpc.ErrorInfo.reason`); the third concerns the operator.
 */
export const failures = {
  REQUEST_MALFORMED: { exit: 2 },
  SCHEMA_MALFORMED: { exit: 2 },
  SCHEMA_INVALID: { exit: 2 },
  SCHEMA_UNSUPPORTED: { exit: 2 },
  SCHEMA_TOO_LARGE: { exit: 2 },
  SCHEMA_TOO_COSTLY: { exit: 2 },
  SCHEMA_LOSSY: { exit: 2 },
  RESULT_MISSING: { exit: 3 },
  RESULT_MALFORMED: { exit: 3 },
  RESULT_INVALID: { exit: 3 },
  RESULT_LOSSY: { exit: 3 },
  RESULT_TOO_LARGE: { exit: 3 },
  RESULT_TOO_COSTLY: { exit: 3 },
  AGENT_UNAVAILABLE: { exit: 3 },
  AGENT_FAILED: { exit: 3 },
  AGENT_EMPTY: { exit: 3 },
  OUTPUT_TOO_LARGE: { exit: 3 },
  UNSUPPORTED: { exit: 3 },
  REJECTED: { exit: 3 },
  CANCELED: { exit: 4 },
  TIMED_OUT: { exit: 4 },
  INTERRUPTED: { exit: 4 },

  BUSY: { exit: 4 },
  RATE_LIMITED: { exit: 4 },
  BODY_TOO_LARGE: { exit: 2 },
  PARSE_ERROR: { exit: 2 },
  INVALID_REQUEST: { exit: 2 },
  METHOD_NOT_FOUND: { exit: 1 },
  INVALID_PARAMS: { exit: 2 },
  INTERNAL: { exit: 1 },
  UNAUTHENTICATED: { exit: 1 },
  TASK_NOT_FOUND: { exit: 1 },
  TASK_NOT_CANCELABLE: { exit: 1 },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { exit: 1 },
  UNSUPPORTED_OPERATION: { exit: 1 },
  CONTENT_TYPE_NOT_SUPPORTED: { exit: 1 },
  INVALID_AGENT_RESPONSE: { exit: 1 },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { exit: 1 },
  EXTENSION_SUPPORT_REQUIRED: { exit: 1 },
  VERSION_NOT_SUPPORTED: { exit: 1 },

  SETTINGS_INVALID: { exit: 1 },
  STORE_UNAVAILABLE: { exit: 1 },
  PEER_UNSUITABLE: { exit: 1 },
  PEER_UNREACHABLE: { exit: 1 },
} as const satisfies Record<string, { exit: 1 | 2 | 3 | 4 }>;

/** A code of that table. */
export type FailureCode = keyof typeof failures;

/** Whether a word, such as a peer's, is a code of the table. */
export const isFailureCode = (word: string): word is FailureCode => Object.hasOwn(failures, word);

/** A field of a request and what is wrong with it (`google.rpc.BadRequest.FieldViolation`). */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

interface Details {
  /** JSON pointer to the place in the schema, the document or the request, `''` for its root. */
  readonly pointer?: string;
  readonly fields?: readonly FieldViolation[];
  /** Further keys for `google.rpc.ErrorInfo.metadata`. */
  readonly info?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  /** The sentence without what an agent wrote on stderr, for a server that does not show that. */
  readonly quiet?: string;
  readonly cause?: unknown;
}

/** The one error of this server: a code from the table, a sentence in plain words for `message`, and its cause. */
export class KediError extends Error {
  override readonly name = 'KediError';
  readonly code: FailureCode;
  readonly pointer: string | undefined;
  readonly fields: readonly FieldViolation[];
  readonly info: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly quiet: string | undefined;

  constructor(code: FailureCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.pointer = details.pointer;
    this.fields = details.fields ?? [];
    this.info = details.info ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.quiet = details.quiet;
  }
}
