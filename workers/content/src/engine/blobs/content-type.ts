import { sniffType } from './sniff-type.ts';

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
export function contentTypeOf({ bytes, name, contentType = '' }: NamedBytes): string {
  const sniffed = sniffType(bytes);
  const named = typeByName(sniffed, name);
  if (named !== sniffed) return named;
  const finer = refinements[sniffed] ?? {};
  const declared = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.values(finer).includes(declared)) return declared;
  return sniffed === 'application/x-cfb' ? 'application/octet-stream' : sniffed;
}

/** What a name's ending makes of a type that the bytes show; the type itself, where it says nothing. */
export function typeByName(type: string, name: string): string {
  const finer = refinements[type] ?? {};
  const ending = /\.(\w{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(finer, ending) ? (finer[ending] ?? type) : type;
}
