const maxLength = 80;

/**
 * What somebody typed, as a part of a line of a mail: bounded, without characters that break lines or turn the direction
 * of writing, and with nothing left that a mail program makes a link of.
 */
export function plainLine(typed: string): string {
  const line = typed
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/:\s*[/\\]+/g, ': ')
    .replace(/[.。](?=\p{L})/gu, '·')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trim()}…`;
}
