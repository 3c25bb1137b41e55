import { getBlocks } from './blocks.ts';
import { findFrontmatterBlock } from './frontmatter-block.ts';
import { splitHeading } from './headings.ts';
import { getLinks } from './links/find-links.ts';
import { getTitle } from './title.ts';

/** A heading beyond this position is not changed. */
const MAX_SEARCHED_LENGTH = 64 * 1024;

/**
 * Replaces the text of the heading that defines the title. Ids and markup around the text are kept. Returns undefined
 * if there is no such heading, or if it cannot have that title. Headings with links, images or HTML are not changed.
 */
export function replaceTitleHeading(markdown: string, title: string): string | undefined {
  const bodyOffset = findFrontmatterBlock(markdown)?.bodyOffset ?? 0;
  const body = markdown.slice(bodyOffset, bodyOffset + MAX_SEARCHED_LENGTH);
  const heading = getBlocks(body).blocks.find(({ kind, source }) => kind === 'heading' && source.trim() !== '');
  if (heading?.kind !== 'heading' || heading.isHtml === true || heading.lines === undefined) return undefined;
  const lines = body.split(/(?<=\n)/);
  const [from, to] = heading.lines;
  const line = lines.slice(from, to).join('');
  const [mark = '', signs] = /^\ufeff? {0,3}(#{1,6}[ \t]+)?/.exec(line) ?? [];
  const end = signs === undefined ? line.trimEnd().length : findContentEnd(line);
  const { prefix, suffix } = splitHeading(line.slice(mark.length, end));
  const formerText = line.slice(mark.length + prefix.length, end - suffix.length);
  if (formerText.includes('<') || getLinks(formerText).length > 0) return undefined;
  const start = bodyOffset + lines.slice(0, from).join('').length;
  const [before, after] = [markdown.slice(0, start) + mark + prefix, suffix + markdown.slice(start + end)];
  return writeExactTitle(title, (text) => before + text + after);
}

/** Returns the end of an ATX heading's text, without its closing hash signs. */
function findContentEnd(line: string): number {
  const text = line.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd().length : text.length;
}

/** Adds a heading at the top of a text. Returns undefined if a heading cannot have that title. */
export function prependHeading(markdown: string, title: string): string | undefined {
  const bodyOffset = findFrontmatterBlock(markdown)?.bodyOffset ?? (markdown.startsWith('\ufeff') ? 1 : 0);
  const [head, body] = [markdown.slice(0, bodyOffset), markdown.slice(bodyOffset)];
  const newline = markdown.includes('\r\n') ? '\r\n' : '\n';
  const separatorBefore = /\n$/.test(head) ? newline : '';
  const separatorAfter = body === '' || /^\r?\n/.test(body) ? '' : newline;
  return writeExactTitle(title, (text) => `${head}${separatorBefore}# ${text}${newline}${separatorAfter}${body}`);
}

/** Escapes the characters of a title that would be parsed as markdown. */
const escapeTitle = (title: string): string => title.replace(/[\\`*_[\]<>#&!{}~$|:=+^-]/g, '\\$&');

const writeExactTitle = (title: string, write: (text: string) => string): string | undefined =>
  [title, escapeTitle(title)].map(write).find((text) => getTitle(text) === title);
