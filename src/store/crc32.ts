import * as zlib from 'node:zlib';

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  return remainder;
});

/** For Node before 20.15, which has none. */
export function crc32Here(bytes: Uint8Array): number {
  let remainder = 0xffffffff;
  for (const byte of bytes) remainder = (remainder >>> 8) ^ (table[(remainder ^ byte) & 0xff] ?? 0);
  return (remainder ^ 0xffffffff) >>> 0;
}

/** CRC-32 as in gzip and zip (ISO 3309), as an unsigned number. */
export const crc32: (bytes: Uint8Array) => number = zlib.crc32 ?? crc32Here;
