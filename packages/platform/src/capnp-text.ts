/** A value of the runtime's configuration. Undefined fields are omitted. */
export type CapnpValue =
  | string
  | number
  | boolean
  | Embedded
  | CapnpValue[]
  | { readonly [field: string]: CapnpValue | undefined };

/** A value that embeds the contents of a file, given by its absolute path. */
export class Embedded {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }
}

/** Writes a value in the text format of Cap'n Proto (language reference, "Constants"). */
export function toCapnpText(value: CapnpValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Embedded) return `embed ${quote(value.file)}`;
  if (Array.isArray(value)) return `[${value.map(toCapnpText).join(', ')}]`;
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${name} = ${toCapnpText(field)}`],
  );
  return `(${fields.join(', ')})`;
}

const escapeText = (char: string): string =>
  char === '"' || char === '\\' ? `\\${char}` : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;

const quote = (text: string): string => `"${text.replace(/["\\\p{Cc}]/gu, escapeText)}"`;
