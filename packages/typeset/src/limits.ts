/** What one PDF holds at most: its sheets, the characters of its texts, and its bytes. */
const limits = { sheets: 10_000, characters: 32 * 1024 * 1024, bytes: 512 * 1024 * 1024 };

/** A book is too large for one PDF; the message says by what. */
export class BookTooLarge extends Error {}

/** Throws BookTooLarge where there is more of something than a PDF may hold. */
export function checkLimit(of: keyof typeof limits, count: number): void {
  const most = limits[of];
  if (count > most) throw new BookTooLarge(`It would have more than ${most.toLocaleString('en')} ${named[of]}.`);
}

const named = { sheets: 'sheets', characters: 'characters of text', bytes: 'bytes' };
