import path from 'node:path';

/** The path in a source that an address of one of its files names, as it is written. */
export function pathFrom(file: string, address: string): string {
  const written = decode(address.replace(/[?#].*$/s, ''));
  const folder = written.startsWith('/') ? '' : path.posix.dirname(file);
  return path.posix.join(folder, written).replace(/^\/|\/$/g, '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
