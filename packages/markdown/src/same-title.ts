const normalizeTitle = (title: string): string => {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu);
  return words === null ? title.trim() : words.join(' ');
};

/**
 * Whether two titles are equal except for case and punctuation, as titles in a table of contents and in headings often
 * are.
 */
export const isSameTitle = (one: string, other: string | undefined): boolean =>
  other !== undefined && normalizeTitle(one) === normalizeTitle(other);
