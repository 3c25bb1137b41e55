import type { SearchSection } from '@octavo/schema';

const maxExcerpt = 48;
const contextCharacters = 12;

/** Returns the part of a section around the first word that was found, in one line. */
export function getExcerpt({ body, matches }: Pick<SearchSection, 'body' | 'matches'>): string {
  const found = matches.body[0]?.[0] ?? 0;
  const start = found <= contextCharacters ? 0 : body.lastIndexOf(' ', found - contextCharacters) + 1;
  const excerpt = body.slice(start, start + maxExcerpt).trim();
  return `${start > 0 ? '…' : ''}${excerpt}${start + maxExcerpt < body.length ? '…' : ''}`;
}
