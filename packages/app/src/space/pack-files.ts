import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

const compressed = /\.(?:avif|gif|jpe?g|mp4|pdf|png|webm|webp|woff2|zip)$/i;

/** Packs files into a zip archive. Each file is read when the previous one is packed. */
export async function packFiles(files: AsyncIterable<[path: string, bytes: Uint8Array]>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const archive = new Zip((error, bytes) => {
    if (error !== null) throw error;
    parts.push(bytes as Uint8Array<ArrayBuffer>);
  });
  for await (const [path, bytes] of files) {
    const entry = compressed.test(path) ? new ZipPassThrough(path) : new ZipDeflate(path);
    archive.add(entry);
    entry.push(bytes, true);
  }
  archive.end();
  return new Blob(parts, { type: 'application/zip' });
}
