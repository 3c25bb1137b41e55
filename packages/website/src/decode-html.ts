/** How far into a page its own word for its charset is looked for. */
const searchedBytes = 2048;

/**
 * The text of a page: by its byte order mark, else the charset of the Content-Type header, else that of its own meta
 * element, else UTF-8. Bytes that are no text become replacement characters.
 */
export function decodeHtml(bytes: Uint8Array, contentTypeHeader: string | null | undefined): string {
  const label = markOf(bytes) ?? charsetOf(contentTypeHeader ?? '') ?? metaCharset(bytes) ?? 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(text: string): string | undefined {
  const label = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(text.slice(0, searchedBytes))?.[1];
  return label !== undefined && isKnown(label) ? label : undefined;
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, searchedBytes));
  for (const [tag] of start.matchAll(/<meta\s[^<>]*/gi)) {
    const label = charsetOf(tag);
    // A page whose meta element could be read so is not written in 16-bit letters, whatever it says.
    if (label !== undefined) return /^utf-?16/i.test(label) ? 'utf-8' : label;
  }
  return undefined;
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
