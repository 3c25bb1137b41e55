import { blocksOf, type SourceBlock } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { collapse, endOfPiece, plainHtml, plainText } from './plain-text.ts';
import { slugAllocator, slugify } from './slug.ts';

/** A heading of level 1 to 3 and the plain text up to the next; level 0, no anchor and no title before the first. */
export type Section = { anchor: string; level: 0 | 1 | 2 | 3; title: string; text: string };

/** How much of a document is cut at its headings; what follows is text of the last section. Keeps hostile input short. */
const MAX_CUT_LENGTH = 256 * 1024;

type Draft = Omit<Section, 'text'> & { texts: string[] };

/**
 * Cuts a document at its top-level headings 1 to 3. Anchors are the slugs of the titles, unique in the document;
 * `text` is for search: markup, link targets and HTML tags dropped, code kept, whitespace collapsed.
 */
export function sectionsOf(markdown: string): Section[] {
  const nextAnchor = slugAllocator();
  let draft: Draft = { anchor: '', level: 0, title: '', texts: [] };
  const drafts = [draft];
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const end = endOfPiece(body, MAX_CUT_LENGTH);
  const { blocks, labels } = blocksOf(body.slice(0, end));
  for (const block of blocks) {
    const level = block.kind === 'heading' ? sectionLevel(block.level) : undefined;
    const text = textOf(block, labels);
    if (level) {
      draft = { anchor: nextAnchor(slugify(text)), level, title: text, texts: [] };
      drafts.push(draft);
    } else if (text) draft.texts.push(text);
  }
  if (body.length > end) draft.texts.push(plainText(body.slice(end), labels));
  return drafts
    .map(({ texts, ...heading }) => ({ ...heading, text: texts.join(' ') }))
    .filter((section) => section.level > 0 || section.text !== '');
}

function sectionLevel(level: number): 1 | 2 | 3 | undefined {
  return level === 1 || level === 2 || level === 3 ? level : undefined;
}

function textOf(block: SourceBlock, labels: ReadonlySet<string>): string {
  if (block.kind === 'code') return collapse(block.source);
  return block.kind === 'html' ? plainHtml(block.source) : plainText(block.source, labels);
}
