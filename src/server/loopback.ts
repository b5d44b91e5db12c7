import { isIPv4, isIPv6 } from 'node:net';

/** Whether a host, as in `--host` or a `Host` header without its port, names this machine and nothing else. */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost') return true;
  if (isIPv4(name)) return name.startsWith('127.');
  return isIPv6(name) && new URL(`http://[${name}]`).hostname === '[::1]';
};
