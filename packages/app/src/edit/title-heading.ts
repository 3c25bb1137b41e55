const special = /[\\`*_[\]{}<>$~|&]/g;

/**
 * Renames the first heading of a text if it repeats the title of the page. Readers do not see such a heading, but would
 * see the former title below the new one.
 */
export function renameTitleHeading(markdown: string, former: string, title: string): string {
  const [, before = '', heading] =
    /^((?:---\r?\n[\s\S]*?\r?\n---\r?\n)?\s*# +)([^\r\n]*?)[ \t]*(?:\r?\n|$)/.exec(markdown) ?? [];
  if (heading === undefined || heading.replace(/\\(?=[^\p{L}\p{N}\s])/gu, '') !== former.trim()) return markdown;
  const renamed = title.trim().replace(special, '\\$&');
  return `${before}${renamed}${markdown.slice(before.length + heading.length)}`;
}
