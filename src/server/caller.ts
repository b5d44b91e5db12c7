/** Who sends a request, and the name under which the server's log knows the request. */
export interface Caller {
  /** Owns the tasks and contexts of what it sends; `local` where the server asks for no credentials. */
  readonly principal: string;
  readonly requestId: string;
}

/** The one principal of a server without authentication. */
export const LOCAL_PRINCIPAL = 'local';
