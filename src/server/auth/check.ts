/** What became of a claim to be somebody. `forbidden`: known, and not allowed in. */
export type Check =
  | { readonly kind: 'known'; readonly principal: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forbidden'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly detail: string };

/** `limited`: this address has failed too often, so nothing costly is computed for it. */
export type CheckClaim = (claim: string, situation: { readonly limited: boolean }) => Promise<Check>;
