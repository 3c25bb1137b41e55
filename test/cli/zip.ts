import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  content: string | Uint8Array;
  /** Overrides the unpacked size in the archive's headers. */
  claims?: number;
  stored?: boolean;
}

const emptyPacked = deflateRawSync('');

const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);

/** Returns a zip archive of these entries, without checking names and sizes. */
export function getZip(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const listed: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claims, stored } of entries) {
    const bytes = Buffer.from(content);
    const packed = stored ? bytes : bytes.length === 0 ? emptyPacked : deflateRawSync(bytes);
    const method = stored ? 0 : 8;
    const sizes = [u32(crc32(bytes)), u32(packed.length), u32(claims ?? bytes.length)];
    const common = [u16(20), u16(0x800), u16(method), u32(0), ...sizes, u16(Buffer.byteLength(name)), u16(0)];
    const local = Buffer.concat([u32(0x04034b50), ...common, Buffer.from(name), packed]);
    const places = [u16(0), u16(0), u16(0), u32(0), u32(offset)];
    listed.push(Buffer.concat([u32(0x02014b50), u16(20), ...common, ...places, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(listed);
  const counts = [u16(0), u16(0), u16(entries.length), u16(entries.length)];
  const end = Buffer.concat([u32(0x06054b50), ...counts, u32(directory.length), u32(offset), u16(0)]);
  return Buffer.concat([...locals, directory, end]);
}
