/**
 * JSON exactly as its author wrote it, already read once by `schema/`: well-formed, no duplicate keys, within the
 * bounds of depth and number. It is copied, spliced and sent, and never parsed and printed again, so `78.0` stays
 * `78.0`.
 */
export type JsonText = string & { readonly [exact]: true };

declare const exact: unique symbol;
