import { maxDocumentBytes } from '@octavo/schema';

/** The files of a folder or an archive by their relative paths, with forward slashes. */
export interface OutlineSource {
  name: string;
  paths: string[];
  sizeOf: (path: string) => number;
  read: (path: string) => Promise<Uint8Array>;
}

export interface SourceFile {
  path: string;
  text: string;
  bytes: Uint8Array;
}

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);

/** Whether a file belongs to the docs: hidden folders (.git) and node_modules do not. */
export const isOrdinary = (path: string): boolean =>
  path.split('/').every((part) => !part.startsWith('.') && part !== 'node_modules');

/** The text of a file; a byte order mark at the start is kept. */
export async function readText(source: OutlineSource, path: string): Promise<SourceFile> {
  const size = source.sizeOf(path);
  if (size > maxDocumentBytes) throw new Error(`The file has ${size} bytes; a page may have ${maxDocumentBytes}.`);
  const bytes = await source.read(path);
  try {
    return { path, bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    throw new Error('The file is not valid UTF-8 text.');
  }
}
