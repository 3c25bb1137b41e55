import { imageSize } from 'image-size';

/** More exact types, by file extension, for bytes that are recognized only as text, archive or container. */
const refinements: Record<string, Record<string, string>> = {
  'text/plain': {
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
    md: 'text/markdown',
    markdown: 'text/markdown',
    vtt: 'text/vtt',
    ics: 'text/calendar',
    json: 'application/json',
    yaml: 'application/yaml',
    yml: 'application/yaml',
  },
  'application/zip': {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    odp: 'application/vnd.oasis.opendocument.presentation',
    epub: 'application/epub+zip',
  },
  'application/x-cfb': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
  },
};

export interface NamedBytes {
  bytes: Uint8Array;
  name: string;
  /** The type that the client, or the server of the file, declared. It is used only to refine the detected type. */
  contentType?: string | undefined;
}

/**
 * Returns the type that a file is served with: detected from its bytes, refined by its name or by the declared type.
 */
export function detectContentType({ bytes, name, contentType }: NamedBytes): string {
  const sniffed = sniffType(bytes);
  const namedType = refineTypeByName(sniffed, name);
  if (namedType !== sniffed) return namedType;
  const refinedTypes = refinements[sniffed] ?? {};
  const declared = toPlainType(contentType);
  if (Object.values(refinedTypes).includes(declared)) return declared;
  return sniffed === 'application/x-cfb' ? 'application/octet-stream' : sniffed;
}

/** Refines a detected type by the extension of a file name; returns it unchanged if the extension does not fit. */
export function refineTypeByName(type: string, name: string): string {
  const refinedTypes = getRefinedTypes(type);
  const ending = /\.(\w{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(refinedTypes, ending) ? (refinedTypes[ending] ?? type) : type;
}

const getRefinedTypes = (type: string): Record<string, string> =>
  refinements[type] ??
  Object.values(refinements).find((refinedTypes) => Object.values(refinedTypes).includes(type)) ??
  {};

/** Refines an already detected type for the name and declared type of a file. */
export function refineType(type: string, { name, contentType }: Omit<NamedBytes, 'bytes'>): string {
  const namedType = refineTypeByName(type, name);
  const declared = toPlainType(contentType);
  return namedType === type && Object.values(getRefinedTypes(type)).includes(declared) ? declared : namedType;
}

const toPlainType = (contentType = ''): string => contentType.split(';')[0]?.trim().toLowerCase() ?? '';

/** The first bytes of a format, and the offset at which they are. */
interface Magic {
  type: string;
  offset?: number;
  bytes: string;
}

/** Formats by their first bytes, in Latin-1; the first match wins. */
const magics: Magic[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', offset: 8, bytes: 'WEBP' },
  { type: 'audio/wav', offset: 8, bytes: 'WAVE' },
  { type: 'image/tiff', bytes: 'II*\0' },
  { type: 'image/tiff', bytes: 'MM\0*' },
  { type: 'image/x-icon', bytes: '\0\0\x01\0' },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: 'application/zip', bytes: 'PK\x03\x04' },
  { type: 'application/zip', bytes: 'PK\x05\x06' },
  { type: 'application/gzip', bytes: '\x1f\x8b' },
  { type: 'application/x-7z-compressed', bytes: "7z\xbc\xaf'\x1c" },
  { type: 'application/x-cfb', bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { type: 'application/wasm', bytes: '\0asm' },
  { type: 'font/woff', bytes: 'wOFF' },
  { type: 'font/woff2', bytes: 'wOF2' },
  { type: 'font/otf', bytes: 'OTTO' },
  { type: 'font/ttf', bytes: '\0\x01\0\0' },
  { type: 'audio/ogg', bytes: 'OggS' },
  { type: 'audio/flac', bytes: 'fLaC' },
  { type: 'audio/mpeg', bytes: 'ID3' },
  ...['\xfa', '\xfb', '\xf2', '\xf3'].map((second) => ({ type: 'audio/mpeg', bytes: `\xff${second}` })),
];

/** Types by brand of ISO media files (MP4 and the like); any other brand is a video. */
const brands: Record<string, string> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  mif1: 'image/heic',
  msf1: 'image/heic',
  'M4A ': 'audio/mp4',
  'M4B ': 'audio/mp4',
  'qt  ': 'video/quicktime',
};

/**
 * Number of bytes that are inspected. If binary data follows after these bytes, a file is still served as text, which
 * is harmless.
 */
const sniffedBytes = 64 * 1024;

/** Detects the type from the bytes alone. HTML and XML are reported as plain text, so browsers never run them. */
function sniffType(bytes: Uint8Array): string {
  const start = bytes.subarray(0, sniffedBytes);
  const head = decodeLatin1(start.subarray(0, 64));
  if (/^RIFF/.test(head) && !/^.{8}(?:WEBP|WAVE)/s.test(head)) return 'application/octet-stream';
  const magic = magics.find(
    (magic) => head.startsWith(magic.bytes, magic.offset) && (magic.offset === undefined || /^RIFF/.test(head)),
  );
  if (magic !== undefined) return magic.type;
  if (head.startsWith('ftyp', 4)) return brands[head.slice(8, 12)] ?? 'video/mp4';
  if (head.startsWith('\x1a\x45\xdf\xa3')) return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  const text = decodeText(start);
  if (text === undefined) return 'application/octet-stream';
  return findSvgStart(text) === undefined ? 'text/plain' : 'image/svg+xml';
}

const decodeLatin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/**
 * Decodes UTF-8. Returns undefined for bytes with control characters that do not occur in texts. An incomplete
 * character at the end is ignored.
 */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.some((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte))) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Finds the root element of an SVG, after the prolog that XML allows. */
function findSvgStart(text: string): number | undefined {
  for (let offset = skipSpace(text, 0); offset < text.length; offset = skipSpace(text, offset)) {
    if (/^<svg[\s>/]/.test(text.slice(offset, offset + 5))) return offset;
    const end = findPrologPartEnd(text, offset);
    if (end === undefined) return undefined;
    offset = end;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let offset = from;
  while (offset < text.length && ' \t\r\n\f\ufeff'.includes(text.charAt(offset))) offset += 1;
  return offset;
}

/** Finds the end of a declaration, comment or document type; an internal subset ends with its document type. */
function findPrologPartEnd(text: string, offset: number): number | undefined {
  const findEnd = (end: string, from: number): number | undefined => {
    const endOffset = text.indexOf(end, from);
    return endOffset === -1 ? undefined : endOffset + end.length;
  };
  if (text.startsWith('<!--', offset)) return findEnd('-->', offset + 4);
  if (text.startsWith('<?', offset)) return findEnd('?>', offset + 2);
  if (!/^<!doctype\ssvg/i.test(text.slice(offset, offset + 13))) return undefined;
  const [close, subset] = [text.indexOf('>', offset), text.indexOf('[', offset)];
  return subset !== -1 && subset < close ? findEnd(']>', subset) : findEnd('>', offset);
}

export interface Dimensions {
  width: number;
  height: number;
}

/**
 * Maximum number of bytes parsed per image. It limits the time that a malicious image takes, which grows linearly with
 * this number, and quadratically for SVG.
 */
const maxImageBytes: Record<string, number> = {
  'image/png': 64,
  'image/gif': 64,
  'image/webp': 64,
  'image/avif': 16 * 1024,
  'image/jpeg': 256 * 1024,
  'image/svg+xml': 4 * 1024,
};
const maxSide = 1_000_000;

/** Returns width and height of an image in pixels, from its first bytes; undefined if they cannot be read. */
export function readDimensions(bytes: Uint8Array, contentType: string): Dimensions | undefined {
  const limit = maxImageBytes[contentType];
  if (limit === undefined) return undefined;
  const start = contentType === 'image/svg+xml' ? sliceSvgRoot(bytes) : bytes;
  try {
    const { width, height } = imageSize(start.slice(0, limit));
    return isValidSide(width) && isValidSide(height) ? { width, height } : undefined;
  } catch {
    // A file whose size cannot be parsed is stored without dimensions.
    return undefined;
  }
}

const isValidSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= maxSide;

function sliceSvgRoot(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return new TextEncoder().encode(text.slice(findSvgStart(text)));
}
