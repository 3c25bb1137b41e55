import { imageSize } from 'image-size';

/** What a name's ending or a client may say of what the bytes show to be a text, an archive or a container. */
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
  /** What the client or the server that it came from says; believed only where it does no harm. */
  contentType?: string | undefined;
}

/** The type that a file is served with: what its bytes show, made more exact by its name or by what was declared. */
export function contentTypeOf({ bytes, name, contentType }: NamedBytes): string {
  const sniffed = sniffType(bytes);
  const named = typeByName(sniffed, name);
  if (named !== sniffed) return named;
  const finer = refinements[sniffed] ?? {};
  const declared = plainType(contentType);
  if (Object.values(finer).includes(declared)) return declared;
  return sniffed === 'application/x-cfb' ? 'application/octet-stream' : sniffed;
}

/** What a name's ending makes of a type that the bytes show; the type itself, where it says nothing. */
export function typeByName(type: string, name: string): string {
  const finer = finerThan(type);
  const ending = /\.(\w{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(finer, ending) ? (finer[ending] ?? type) : type;
}

/** The types that the same bytes may have. */
const finerThan = (type: string): Record<string, string> =>
  refinements[type] ?? Object.values(refinements).find((finer) => Object.values(finer).includes(type)) ?? {};

/** The type of bytes whose type is known, under the name and with the declared type that a file gets. */
export function retyped(type: string, { name, contentType }: Omit<NamedBytes, 'bytes'>): string {
  const named = typeByName(type, name);
  const declared = plainType(contentType);
  return named === type && Object.values(finerThan(type)).includes(declared) ? declared : named;
}

const plainType = (contentType = ''): string => contentType.split(';')[0]?.trim().toLowerCase() ?? '';

/** What the first bytes of a format are, at an offset. */
interface Magic {
  type: string;
  at?: number;
  bytes: string;
}

/** Formats by their first bytes, in Latin-1; the first that fits counts. */
const magics: Magic[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', at: 8, bytes: 'WEBP' },
  { type: 'audio/wav', at: 8, bytes: 'WAVE' },
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

/** The brands of files that are built of boxes, as MP4 is; any other is a video. */
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

/** How much of a file is looked at: a text that turns binary only later is still shown as a text, which harms nobody. */
const sniffedBytes = 64 * 1024;

/** The type of a file from its bytes alone. HTML and XML are text, never what a browser would run. */
function sniffType(bytes: Uint8Array): string {
  const start = bytes.subarray(0, sniffedBytes);
  const head = latin1(start.subarray(0, 64));
  if (/^RIFF/.test(head) && !/^.{8}(?:WEBP|WAVE)/s.test(head)) return 'application/octet-stream';
  const magic = magics.find(
    (each) => head.startsWith(each.bytes, each.at) && (each.at === undefined || /^RIFF/.test(head)),
  );
  if (magic !== undefined) return magic.type;
  if (head.startsWith('ftyp', 4)) return brands[head.slice(8, 12)] ?? 'video/mp4';
  if (head.startsWith('\x1a\x45\xdf\xa3')) return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  const text = textOf(start);
  if (text === undefined) return 'application/octet-stream';
  return startOfSvg(text) === undefined ? 'text/plain' : 'image/svg+xml';
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** UTF-8 without the control characters that no text has; a character that the end cuts in two does not count. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.some((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte))) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Where the root element of an SVG begins, after what XML lets stand in front of it. */
function startOfSvg(text: string): number | undefined {
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    if (/^<svg[\s>/]/.test(text.slice(at, at + 5))) return at;
    const end = endOfPrologPart(text, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n\f\ufeff'.includes(text.charAt(at))) at += 1;
  return at;
}

/** The end of a declaration, a comment or a document type; an inner subset of one ends with it. */
function endOfPrologPart(text: string, at: number): number | undefined {
  const after = (end: string, from: number): number | undefined => {
    const found = text.indexOf(end, from);
    return found === -1 ? undefined : found + end.length;
  };
  if (text.startsWith('<!--', at)) return after('-->', at + 4);
  if (text.startsWith('<?', at)) return after('?>', at + 2);
  if (!/^<!doctype\ssvg/i.test(text.slice(at, at + 13))) return undefined;
  const [close, subset] = [text.indexOf('>', at), text.indexOf('[', at)];
  return subset !== -1 && subset < close ? after(']>', subset) : after('>', at);
}

export interface Dimensions {
  width: number;
  height: number;
}

/** How much of an image is read: the time that a hostile one takes is bounded by it, for SVG by its square. */
const readBytes: Record<string, number> = {
  'image/png': 64,
  'image/gif': 64,
  'image/webp': 64,
  'image/avif': 16 * 1024,
  'image/jpeg': 256 * 1024,
  'image/svg+xml': 4 * 1024,
};
const maxSide = 1_000_000;

/** Width and height of an image in pixels, from its first bytes; undefined where they do not tell. */
export function dimensionsOf(bytes: Uint8Array, contentType: string): Dimensions | undefined {
  const limit = readBytes[contentType];
  if (limit === undefined) return undefined;
  const start = contentType === 'image/svg+xml' ? rootOfSvg(bytes) : bytes;
  try {
    const { width, height } = imageSize(start.slice(0, limit));
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    // What the reader of sizes cannot read is a file like any other, only without dimensions.
    return undefined;
  }
}

const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= maxSide;

function rootOfSvg(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return new TextEncoder().encode(text.slice(startOfSvg(text)));
}
