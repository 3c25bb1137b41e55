/** An entry of the central directory. */
export interface Entry {
  name: string;
  flags: number;
  method: number;
  checksum: number;
  packedSize: number;
  size: number;
  /** Offset of the entry's local header. */
  offset: number;
  /** File type bits of the entry's Unix mode; 0 if the archive does not specify a mode. */
  fileType: number;
}

/** The bytes of an archive, read on demand. */
export interface ByteSource {
  size: number;
  /** Returns the bytes from `start` up to but not including `end`, which is at most `size`. */
  read: (start: number, end: number) => Promise<Uint8Array>;
}

const endSignature = 0x06054b50;
const end64Signature = 0x06064b50;
const locator64Signature = 0x07064b50;
const entrySignature = 0x02014b50;
const maxCommentLength = 0xffff;
const endLength = 22;
const end64Length = 56;
const locator64Length = 20;
const entryLength = 46;
const unfit = 0xffffffff;
const maxDirectoryBytes = 16 * 1024 * 1024;

const createDamagedError = () => new ArchiveError('is not a readable zip archive');

/** The location of the central directory, and the number of entries that the archive claims. */
interface DirectoryLocation {
  offset: number;
  end: number;
  count: number;
}

/** Returns the entries in directory order. Entries are parsed on demand and not stored. @throws ArchiveError */
export async function readDirectory(
  source: ByteSource,
  { offset, end, count }: DirectoryLocation,
): Promise<Generator<Entry>> {
  if (offset > end) throw createDamagedError();
  if (end - offset > maxDirectoryBytes)
    throw new ArchiveError(`has a directory of more than ${maxDirectoryBytes} bytes`);
  return readEntries(await source.read(offset, end), count);
}

function* readEntries(bytes: Uint8Array, count: number): Generator<Entry> {
  const view = getView(bytes);
  for (let offset = 0, remaining = count; remaining > 0; remaining -= 1) {
    if (offset + entryLength > bytes.length || view.getUint32(offset, true) !== entrySignature)
      throw createDamagedError();
    const nameLength = view.getUint16(offset + 28, true);
    const extraLength = view.getUint16(offset + 30, true);
    const next = offset + entryLength + nameLength + extraLength + view.getUint16(offset + 32, true);
    if (next > bytes.length) throw createDamagedError();
    yield readEntry(view, offset, { nameLength, extraLength });
    offset = next;
  }
}

const getView = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);

/** Finds the central directory. @throws ArchiveError if there is none */
export async function findDirectory(source: ByteSource): Promise<DirectoryLocation> {
  const first = Math.max(0, source.size - endLength - maxCommentLength - locator64Length);
  const view = getView(await source.read(first, source.size));
  const lowest = Math.max(0, view.byteLength - endLength - maxCommentLength);
  for (let end = view.byteLength - endLength; end >= lowest; end -= 1) {
    if (view.getUint32(end, true) !== endSignature) continue;
    const count = view.getUint16(end + 10, true);
    const offset = view.getUint32(end + 16, true);
    const location = { offset, count, end: first + end };
    if (count !== 0xffff && offset !== unfit) return location;
    const isLocated = end >= locator64Length && view.getUint32(end - locator64Length, true) === locator64Signature;
    return isLocated ? findDirectory64(source, location, Number(view.getBigUint64(end - 12, true))) : location;
  }
  throw createDamagedError();
}

async function findDirectory64(
  source: ByteSource,
  { end }: DirectoryLocation,
  offset: number,
): Promise<DirectoryLocation> {
  if (offset + end64Length > source.size) throw createDamagedError();
  const view = getView(await source.read(offset, offset + end64Length));
  if (view.getUint32(0, true) !== end64Signature) throw createDamagedError();
  return { offset: Number(view.getBigUint64(48, true)), count: Number(view.getBigUint64(32, true)), end };
}

function readEntry(view: DataView, offset: number, lengths: { nameLength: number; extraLength: number }): Entry {
  const flags = view.getUint16(offset + 8, true);
  const nameAt = view.byteOffset + offset + entryLength;
  const sizes = readSizes(view, offset, lengths);
  const system = view.getUint8(offset + 5);
  const mode = system === 3 || system === 19 ? view.getUint16(offset + 40, true) : 0;
  return {
    name: readName(new Uint8Array(view.buffer, nameAt, lengths.nameLength), (flags & 0x800) !== 0),
    flags,
    method: view.getUint16(offset + 10, true),
    checksum: view.getUint32(offset + 16, true),
    ...sizes,
    fileType: mode & 0xf000,
  };
}

type Sizes = Pick<Entry, 'size' | 'packedSize' | 'offset'>;

/** Reads the sizes and the offset. Values that do not fit in 32 bits are in the ZIP64 extra field, in this order. */
function readSizes(view: DataView, offset: number, lengths: { nameLength: number; extraLength: number }): Sizes {
  const sizes: Sizes = {
    size: view.getUint32(offset + 24, true),
    packedSize: view.getUint32(offset + 20, true),
    offset: view.getUint32(offset + 42, true),
  };
  if (!Object.values(sizes).includes(unfit)) return sizes;
  const end = offset + entryLength + lengths.nameLength + lengths.extraLength;
  for (let field = end - lengths.extraLength; field + 4 <= end; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    let value = field + 4;
    for (const key of ['size', 'packedSize', 'offset'] as const) {
      if (sizes[key] !== unfit || value + 8 > end) continue;
      sizes[key] = Number(view.getBigUint64(value, true));
      value += 8;
    }
    break;
  }
  return sizes;
}

/** Decodes a name as UTF-8. A name that is neither declared as UTF-8 nor valid UTF-8 is decoded as Latin-1. */
function readName(bytes: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  }
}

/** The error for a rejected archive. `problem` completes the sentence "The archive ...". */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly problem: string;

  constructor(problem: string) {
    super(`The archive ${problem}.`);
    this.problem = problem;
  }
}
