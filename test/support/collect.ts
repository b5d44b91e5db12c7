import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Runs the garbage collector, so that what is measured then is what is held. */
export const collect: () => void = runInNewContext('gc');
