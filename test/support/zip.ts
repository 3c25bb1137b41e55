import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  body?: string | Uint8Array;
  /** The uncompressed size stated in the archive, if it differs from the real one. */
  claims?: number;
  /** The Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
}

/** Builds a zip archive of these entries in order, deflated. Names are written unchanged. */
export function getZip(entries: ZipEntry[]): Uint8Array<ArrayBuffer> {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, body = '', claims, mode = 0o100644 } of entries) {
    const bytes = Buffer.from(body);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const fields = Buffer.alloc(22);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claims ?? bytes.length, 18);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(path.length);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, lengths, path, packed]);
    const rest = Buffer.alloc(16);
    rest.writeUInt32LE(mode * 0x10000, 8);
    rest.writeUInt32LE(offset, 12);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), fields, lengths.subarray(0, 2), rest, path]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Uint8Array.from(Buffer.concat([...locals, listed, end]));
}
