import type { ByteSource } from './directory.ts';

/** Reads at least so many bytes at once, and keeps what it read last: files that stand beside each other come together. */
export function inWindows({ size, read }: ByteSource, windowBytes: number): ByteSource {
  let at = 0;
  let held: Uint8Array = new Uint8Array();
  return {
    size,
    read: async (start, end) => {
      if (start < at || end > at + held.length) {
        held = new Uint8Array();
        held = await read(start, Math.min(size, Math.max(end, start + windowBytes)));
        at = start;
      }
      return held.subarray(start - at, end - at);
    },
  };
}
