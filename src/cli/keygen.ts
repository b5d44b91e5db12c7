import { Argument, Command } from 'commander';
import { makeCardKey } from '../server/signing/card-key.js';
import { write } from './output.js';

/** `kedi-a2a keygen`: a private key for `--card-key`, on stdout. */
export const keygenCommand = (): Command =>
  new Command('keygen')
    .description('Print a new private key in PEM for --card-key. Keep it where only the server can read it.')
    .addArgument(new Argument('[KIND]', 'ed25519 unless said').choices(['ed25519', 'es256']))
    .action((kind: string | undefined) =>
      write(process.stdout, makeCardKey(kind === 'es256' ? kind : 'ed25519')),
    );
