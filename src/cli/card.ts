import { Command } from 'commander';
import { parse, stringify } from 'lossless-json';
import { fetchCard } from '../client/card.js';
import { checkCard } from '../client/check-card.js';
import { addCredentialOptions, type CredentialFlags, readCredentials } from './credentials.js';
import { write } from './output.js';
import { interruption } from './signals.js';

/** `kedi-a2a card`: an agent's card, and what is wrong with it. */
export const cardCommand = (): Command =>
  addCredentialOptions(
    new Command('card')
      .description(
        "Show an agent's card on stdout, and what is wrong with it on stderr; the exit status is 1 where a rule is broken.",
      )
      .argument('<url>', 'the agent: its base URL, or that of its card'),
  ).action(async (url: string, flags: CredentialFlags) => {
    const { signal, release } = interruption();
    try {
      const card = await fetchCard(url, { credentials: readCredentials(flags, process.env), signal });
      await write(process.stdout, `${stringify(parse(card.json), undefined, 2)}\n`);
      const findings = checkCard(card);
      for (const { level, pointer, sentence } of findings) {
        await write(process.stderr, `${level}: ${pointer === '' ? '' : `${pointer}: `}${sentence}\n`);
      }
      const broken = findings.filter(({ level }) => level === 'error').length;
      if (broken > 0) process.exitCode = 1;
      const verdict =
        findings.length === 0 ? 'nothing is wrong with it' : `${broken} of ${findings.length} are errors`;
      await write(process.stderr, `${card.url}: ${verdict}\n`);
    } finally {
      release();
    }
  });
