import { networkInterfaces } from 'node:os';

/** Refuses to run anything where an agent program could reach more than this machine's loopback. */
export default function loopbackOnly(): void {
  const others = Object.entries(networkInterfaces()).filter(([, addresses]) =>
    addresses?.some((address) => !address.internal),
  );
  if (others.length === 0) return;
  throw new Error(`Run npm run test:harness: there is a network here (${others.map(([name]) => name)}).`);
}
