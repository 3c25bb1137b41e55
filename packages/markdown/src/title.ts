import { maxTitleLength, PageTitle } from '@octavo/schema';
import { getBlocks } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { getHero } from './hero.ts';
import { findPieceEnd, htmlToPlainText, toPlainText } from './plain-text.ts';

/** A title beyond this position is ignored. Bounds the cost of hostile input. */
const MAX_SEARCHED_LENGTH = 64 * 1024;

/** Matches a heading at the start of a text. It has no reference links, so it does not depend on other lines. */
const OPENING_HEADING = /^(?:[ \t]*\n)* {0,3}#{1,6}[^[\r\n]*(?:\n|$)/;

/** Returns the title of the first top-level heading (ATX or setext, any level), or of the hero in the frontmatter. */
export function getTitle(markdown: string): string | undefined {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const searched = body.slice(0, findPieceEnd(body, MAX_SEARCHED_LENGTH));
  const [opening = ''] = OPENING_HEADING.exec(searched) ?? [];
  return (
    findFirstTitle(opening) ?? findFirstTitle(searched) ?? (cleanTitle(getHero(markdown)?.title ?? '') || undefined)
  );
}

function findFirstTitle(body: string): string | undefined {
  if (body === '') return undefined;
  const { blocks, labels } = getBlocks(body);
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const title = cleanTitle(block.isHtml ? htmlToPlainText(block.source) : toPlainText(block.source, labels));
    if (title !== '') return title;
  }
  return undefined;
}

/** Cleans a text for use as a page title; '' if nothing is readable. A valid title is unchanged. */
export function cleanTitle(text: string): string {
  if (PageTitle.safeParse(text).success) return text;
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * maxTitleLength)).slice(0, maxTitleLength);
  return characters.join('').trimEnd().toWellFormed();
}
