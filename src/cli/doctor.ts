import { Command } from 'commander';
import type { Examination } from '../agents/examine.js';
import { KediError } from '../domain/errors.js';
import { write } from './output.js';

/** `kedi-a2a doctor`: which agent programs are here, in which version, logged in or not, and what is missing. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description(
      'Look for the agent programs, their versions and logins, and say what is missing; asks no model.',
    )
    .argument('[names...]', 'the programs to look for; all that are known, unless said')
    .option('--bin <path>', 'where the program is, if one is named')
    .action(async (names: readonly string[], { bin }: { readonly bin?: string }) => {
      const [{ knownPrograms }, { examine }] = await Promise.all([
        import('../agents/programs.js'),
        import('../agents/examine.js'),
      ]);
      const chosen = names.map((name) => {
        const program = knownPrograms.find((each) => each.name === name);
        if (program !== undefined) return program;
        const known = knownPrograms.map((each) => each.name).join(', ');
        throw new KediError('SETTINGS_INVALID', `No program "${name}" is known; there are ${known}.`);
      });
      if (bin !== undefined && chosen.length !== 1) {
        throw new KediError('SETTINGS_INVALID', 'With --bin, name the one program that it is.');
      }
      const surroundings = {
        env: process.env,
        directory: process.cwd(),
        ...(bin === undefined ? {} : { bin }),
      };
      const examined: Examination[] = [];
      // One after the other: some start a whole runtime to say their version.
      for (const program of chosen.length > 0 ? chosen : knownPrograms) {
        examined.push(await examine(program, surroundings));
      }
      await write(process.stdout, examined.map(report).join('\n'));
      const missing = examined.some(({ found }) => 'problem' in found);
      if (chosen.length > 0 && missing) process.exitCode = 1;
    });

function report({ program, found, login }: Examination): string {
  const { name, install, served, tested, variables, files } = program;
  if ('problem' in found) return `${name}: not here. ${found.problem}\n  get it:  ${install}\n`;
  const isTested = tested !== undefined && found.version.includes(tested);
  const version =
    isTested || tested === undefined ? found.version : `${found.version} (tested with ${tested})`;
  const places = [...variables, ...files.map((file) => `~/${file.directory}/${file.name}`)];
  const logged = login ?? `none seen${places.length === 0 ? '' : ` in ${places.join(', ')}`}`;
  return `${name}: ${version}\n  login:   ${logged}\n  serve:   kedi-a2a serve ${served}\n`;
}
