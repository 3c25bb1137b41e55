import { maxTitleLength, PageTitle } from '@octavo/schema';
import { blocksOf } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { endOfPiece, plainText } from './plain-text.ts';

/** A title further down than this is none: keeps hostile input short. */
const MAX_SEARCHED_LENGTH = 64 * 1024;

/** The title that the first heading (ATX or setext, any level) of the top level after the frontmatter makes. */
export function titleOf(markdown: string): string | undefined {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const { blocks, labels } = blocksOf(body.slice(0, endOfPiece(body, MAX_SEARCHED_LENGTH)));
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const title = cleanTitle(plainText(block.source, labels));
    if (title !== '') return title;
  }
  return undefined;
}

/** A page's title from any text, '' where it has nothing to read. What is a title already stays exactly as it is. */
export function cleanTitle(text: string): string {
  if (PageTitle.safeParse(text).success) return text;
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * maxTitleLength)).slice(0, maxTitleLength);
  return characters.join('').trimEnd().toWellFormed();
}
