import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Lives in a shell beside this server and waits for the end of its standard input, which comes when the server is
 * gone, however that happened; then it kills the groups that were started and not ended.
 */
const script = `
groups=' '
while read -r word group; do
  case $word in
    started) groups="$groups$group " ;;
    ended) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

let watchdog: ChildProcess | undefined;

/**
 * Tells the watchdog of this server that a process group was started or has ended, so that `kill -9` of the server
 * leaves no agent behind. Where there is no shell there is no watchdog, and all else is as before.
 */
export function watchGroup(group: number, word: 'started' | 'ended'): void {
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`${word} ${group}\n`);
}

function startWatchdog(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.on('error', () => {});
  started.stdin?.on('error', () => {});
  // It must not keep this process from ending.
  started.unref();
  if (started.stdin !== null && 'unref' in started.stdin && typeof started.stdin.unref === 'function') {
    started.stdin.unref();
  }
  return started;
}
