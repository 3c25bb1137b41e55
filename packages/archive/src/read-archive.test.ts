import { strToU8, type Zippable, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ArchiveError } from './directory.ts';
import { type ArchiveLimits, createArchiveSource, readArchive, readInWindows } from './read-archive.ts';

const mebibyte = 1024 * 1024;
const limits: ArchiveLimits = { entries: 1000, totalBytes: 100 * mebibyte };

const getText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const createZip = (files: Record<string, string>, options: Zippable = {}): Uint8Array =>
  zipSync({ ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), ...options });

/** Returns the offset of the central directory. */
function findDirectoryOffset(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 22 + 16, true);
}

function patchDirectory(bytes: Uint8Array, change: (view: DataView, directory: number) => void): Uint8Array {
  const copy = bytes.slice();
  change(new DataView(copy.buffer), findDirectoryOffset(copy));
  return copy;
}

test('reads compressed and stored files, and omits folders', async () => {
  const archive = await readArchive(
    createZip({ 'a.md': 'x'.repeat(1e6), 'b/é.md': 'é' }, { 'c/': new Uint8Array() }),
    limits,
  );
  expect(archive.paths).toEqual(['a.md', 'b/é.md']);
  expect(archive.getSize('a.md')).toBe(1e6);
  expect(getText(await archive.read('a.md'))).toBe('x'.repeat(1e6));
  expect(getText(await archive.read('b/é.md'))).toBe('é');
  await expect(archive.read('c.md')).rejects.toThrow('has no file c.md');
});

test('finds the end of an archive despite PK in comments, and reads a view into a larger buffer', async () => {
  const bytes = zipSync({ 'a.md': [strToU8('text'), { comment: 'PK' }] }, { comment: 'said PK at the end' });
  const larger = new Uint8Array(bytes.length + 20);
  larger.set(bytes, 7);
  const archive = await readArchive(larger.subarray(7, 7 + bytes.length), limits);
  expect(getText(await archive.read('a.md'))).toBe('text');
});

test('strips a single top-level folder from the paths', async () => {
  const source = createArchiveSource(
    await readArchive(createZip({ 'book/a.md': 'a', 'book/b/c.md': 'c' }), limits),
    'book',
  );
  expect(source.paths).toEqual(['a.md', 'b/c.md']);
  expect(getText(await source.read('b/c.md'))).toBe('c');
  expect(createArchiveSource(await readArchive(createZip({ 'a/x.md': '', 'b.md': '' }), limits), 'x').paths).toEqual([
    'a/x.md',
    'b.md',
  ]);
});

test.each([
  '../a.md',
  '/a.md',
  'a/../../b.md',
  'a\\b.md',
  '..\\a.md',
  'C:/a.md',
  'c:a.md',
  './a.md',
  'a//b.md',
  'a\0.md',
  'a\n.md',
  '..',
  '../',
  `${'é'.repeat(2100)}.md`,
  `${'a/'.repeat(2500)}b.md`,
])('rejects an archive with the entry %j', async (name) => {
  await expect(readArchive(createZip({ 'good.md': '', [name]: 'x' }), limits)).rejects.toThrow(/unsafe path/);
  await expect(readArchive(createZip({ [name]: 'x' }), { ...limits, takes: () => false })).rejects.toThrow(
    /unsafe path/,
  );
});

test('skips and reports symbolic links and devices, and reads ordinary Unix files', async () => {
  const createFile = (mode: number) => ({ os: 3, attrs: mode << 16 });
  const source = createArchiveSource(
    await readArchive(
      zipSync({
        'd/a.md': [strToU8('text'), createFile(0o100644)],
        'd/link.md': [strToU8('/etc/passwd'), createFile(0o120777)],
        'd/device': [strToU8(''), createFile(0o020666)],
        'd/left': [strToU8('a.md'), createFile(0o120777)],
      }),
      { ...limits, takes: (path) => path !== 'd/left' },
    ),
    'd',
  );
  expect(source).toMatchObject({ paths: ['a.md'], unreadablePaths: ['link.md', 'device', 'left'] });
  expect(() => source.getSize('link.md')).toThrow('has no file');
});

test('rejects two files with the same path', async () => {
  const bytes = createZip({ 'a.md': 'first', 'b.md': 'other' });
  const twice = patchDirectory(bytes, (view, at) => view.setUint8(at + 46 + 4 + 46, 'a'.charCodeAt(0)));
  await expect(readArchive(twice, limits)).rejects.toThrow('has two files with the path "a.md"');
});

test('rejects an encrypted file', async () => {
  const encrypted = patchDirectory(createZip({ 'a.md': 'x' }), (view, at) => view.setUint16(at + 8, 1, true));
  await expect(readArchive(encrypted, limits)).rejects.toThrow('has an encrypted file: "a.md"');
});

test('rejects too many files without reading all that the archive declares', async () => {
  const many = createZip(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`${n}.md`, ''])));
  await expect(readArchive(many, limits)).rejects.toThrow('has more than 1000 files');
  expect((await readArchive(many, { ...limits, takes: (path) => path !== '7.md' })).paths).toHaveLength(1000);
  expect((await readArchive(many, { ...limits, counts: (path) => path !== '7.md' })).paths).toHaveLength(1001);
  const claims = patchDirectory(createZip({ 'a.md': '' }), (view) => {
    view.setUint16(view.byteLength - 22 + 8, 60_000, true);
    view.setUint16(view.byteLength - 22 + 10, 60_000, true);
  });
  await expect(readArchive(claims, limits)).rejects.toThrow('has more than 1000 files');
});

test('rejects files that declare too many bytes before extracting any', async () => {
  const claims = patchDirectory(createZip({ 'a.md': 'x' }), (view, at) =>
    view.setUint32(at + 24, 101 * mebibyte, true),
  );
  await expect(readArchive(claims, limits)).rejects.toThrow('has more than 104857600 bytes');
  expect((await readArchive(claims, { ...limits, counts: () => false })).getSize('a.md')).toBe(101 * mebibyte);
});

test('stops extracting a file at its declared size, and allocates no more memory', async () => {
  const bomb = createZip({ 'a.md': '\0'.repeat(8 * mebibyte) });
  const small = patchDirectory(bomb, (view, at) => view.setUint32(at + 24, 100_000, true));
  const archive = await readArchive(small, limits);
  await expect(archive.read('a.md')).rejects.toThrow(
    'The archive is damaged: the file does not match its checksum or size.',
  );
});

test.each<[string, (view: DataView, at: number) => void]>([
  ['a wrong checksum', (view, at) => view.setUint32(at + 16, 1, true)],
  ['a size that is too large', (view, at) => view.setUint32(at + 24, 30, true)],
  ['a size that is too small', (view, at) => view.setUint32(at + 24, 3, true)],
  ['an offset beyond the end', (view, at) => view.setUint32(at + 42, 1e9, true)],
  ['an offset without a local header', (view, at) => view.setUint32(at + 42, 1, true)],
  ['a packed size beyond the end', (view, at) => view.setUint32(at + 20, 1e9, true)],
])('rejects a file with %s when it is read', async (_, change) => {
  const archive = await readArchive(patchDirectory(createZip({ 'a.md': 'a few words' }), change), limits);
  await expect(archive.read('a.md')).rejects.toThrow('The archive is damaged');
});

test('rejects a file with another compression method when it is read', async () => {
  const odd = patchDirectory(createZip({ 'a.md': 'x' }), (view, at) => view.setUint16(at + 10, 12, true));
  await expect((await readArchive(odd, limits)).read('a.md')).rejects.toThrow('unsupported compression method');
});

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['text', strToU8('not a zip at all, but long enough to be one')],
  ['an archive without its end record', createZip({ 'a.md': 'x' }).slice(0, -10)],
  [
    'an archive without its directory',
    patchDirectory(createZip({ 'a.md': 'x' }), (view) => view.setUint32(view.byteLength - 6, 0, true)),
  ],
  [
    'an archive with an entry that exceeds its directory',
    patchDirectory(createZip({ 'a.md': 'x' }), (view, directory) => view.setUint16(directory + 32, 1, true)),
  ],
])('rejects %s, which is not an archive', async (_, bytes) => {
  await expect(readArchive(bytes, limits)).rejects.toThrow(ArchiveError);
  await expect(readArchive(bytes, limits)).rejects.toThrow('The archive is not a readable zip archive.');
});

test('does not read a file with an implausible compression ratio', async () => {
  const claims = patchDirectory(
    createZip({ 'a.md': 'x' }, { 'b.bin': [new Uint8Array(5000), { level: 0 }] }),
    (view, at) => {
      view.setUint32(at + 20, 2000, true);
    },
  );
  let most = 0;
  const source = {
    size: claims.length,
    read: async (start: number, end: number) => {
      most = Math.max(most, end - start);
      return claims.subarray(start, end);
    },
  };
  const archive = await readArchive(source, limits);
  most = 0;
  await expect(archive.read('a.md')).rejects.toThrow('The archive is damaged');
  expect(most).toBe(30);
});

test('reads an archive in windows once when it is read in order', async () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.bin`, 'x'.repeat(n * 100)]));
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), {
    level: 0,
  });
  let read = 0;
  const source = {
    size: bytes.length,
    read: async (start: number, end: number) => {
      read += end - start;
      return bytes.slice(start, end);
    },
  };
  const archive = await readArchive(readInWindows(source, 8192), limits);
  read = 0;
  const paths = archive.sorted(archive.paths.toReversed());
  for (const path of paths) expect(getText(await archive.read(path))).toBe(files[path]);
  expect(paths).toEqual(archive.paths);
  expect(read).toBeLessThan(1.5 * bytes.length);
});

test('treats a nested archive as a file', async () => {
  const inner = createZip({ '../x.md': 'x' });
  const archive = await readArchive(zipSync({ 'inner.zip': inner }), limits);
  expect(await archive.read('inner.zip')).toEqual(inner);
});
