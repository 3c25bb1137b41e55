import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  content: string | Uint8Array;
  /** Overrides the unpacked size in the archive's headers. */
  claims?: number;
  stored?: boolean;
}

const emptyPacked = deflateRawSync('');

const encode16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const encode32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);

/** Returns a zip archive of these entries, without checking names and sizes. */
export function getZip(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const listed: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claims, stored } of entries) {
    const bytes = Buffer.from(content);
    const packed = stored ? bytes : bytes.length === 0 ? emptyPacked : deflateRawSync(bytes);
    const method = stored ? 0 : 8;
    const sizes = [encode32(crc32(bytes)), encode32(packed.length), encode32(claims ?? bytes.length)];
    const common = [
      encode16(20),
      encode16(0x800),
      encode16(method),
      encode32(0),
      ...sizes,
      encode16(Buffer.byteLength(name)),
      encode16(0),
    ];
    const local = Buffer.concat([encode32(0x04034b50), ...common, Buffer.from(name), packed]);
    const places = [encode16(0), encode16(0), encode16(0), encode32(0), encode32(offset)];
    listed.push(Buffer.concat([encode32(0x02014b50), encode16(20), ...common, ...places, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(listed);
  const counts = [encode16(0), encode16(0), encode16(entries.length), encode16(entries.length)];
  const end = Buffer.concat([
    encode32(0x06054b50),
    ...counts,
    encode32(directory.length),
    encode32(offset),
    encode16(0),
  ]);
  return Buffer.concat([...locals, directory, end]);
}
