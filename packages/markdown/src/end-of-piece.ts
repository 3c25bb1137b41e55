/**
 * Where the first piece of a text ends that is cut into pieces of at most `limit` characters: at the last white space,
 * which begins the next piece, so that no word is parted; without any, at the limit, but never inside of a character.
 */
export function endOfPiece(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  for (let end = limit; end > 0; end -= 1) if (/\s/.test(text.charAt(end))) return end;
  return isInsideCharacter(text, limit) ? limit - 1 : limit;
}

/** Characters beyond the first plane are two units of a string. */
const isInsideCharacter = (text: string, position: number): boolean => (text.codePointAt(position - 1) ?? 0) > 0xffff;
