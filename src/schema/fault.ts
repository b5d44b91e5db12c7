/** Why a text is refused: not JSON, or JSON that not every reader would understand alike, or beyond a bound. */
export type Fault = 'encoding' | 'syntax' | 'number' | 'duplicate' | 'depth' | 'size';

/** Thrown while reading, and caught in `document.ts`. */
export class Unreadable extends Error {
  readonly fault: Fault;
  readonly offset: number;

  constructor(fault: Fault, reason: string, offset: number) {
    super(reason);
    this.fault = fault;
    this.offset = offset;
  }
}

/** Something in a text that its author cannot have meant, at a UTF-16 offset, though the text can be read around it. */
export interface Flaw {
  readonly fault: Extract<Fault, 'duplicate' | 'number'>;
  readonly reason: string;
  readonly offset: number;
}
