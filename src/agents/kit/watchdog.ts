import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Lives in a shell beside this server and waits for the end of its standard input, which comes when the server is
 * gone, however that happened. Then it kills the groups that were started and have not ended, and where there is a
 * /proc all that carry a mark of that server's.
 */
const script = `
groups=' '
while read -r word group; do
  case $word in
    started) groups="$groups$group " ;;
    ended) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for environ in /proc/[0-9]*/environ; do
  if grep -q "=$1[.]" "$environ"; then
    pid=\${environ#/proc/}
    kill -s KILL "\${pid%/environ}"
  fi
done
`;

let watchdog: ChildProcess | undefined;

/**
 * Tells the watchdog of this server (`server` begins its marks) that a process group has `started` or `ended`, so that
 * `kill -9` of the server leaves no agent behind. Where there is no shell there is no watchdog, and all else is as
 * before.
 */
export function tellWatchdog(server: string, news: `started ${number}` | `ended ${number}`): void {
  watchdog ??= startWatchdog(server);
  watchdog.stdin?.write(`${news}\n`);
}

function startWatchdog(server: string): ChildProcess {
  const started = spawn('/bin/sh', ['-c', script, 'kedi-a2a-watchdog', server], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.on('error', () => {});
  started.stdin?.on('error', () => {});
  // Neither the shell nor the pipe to it keeps this process from ending.
  started.unref();
  const pipe = started.stdin;
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return started;
}
