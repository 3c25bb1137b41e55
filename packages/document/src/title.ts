import { blocksOf } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { plainText } from './plain-text.ts';

/** A title further down than this is none: keeps hostile input short. */
const MAX_SEARCHED_LENGTH = 64 * 1024;

/** Plain text of the first heading (ATX or setext, any level) of the top level after the frontmatter. */
export function titleOf(markdown: string): string | undefined {
  const { bodyOffset } = readFrontmatter(markdown);
  const { blocks, labels } = blocksOf(markdown.slice(bodyOffset, bodyOffset + MAX_SEARCHED_LENGTH));
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const title = plainText(block.source, labels);
    if (title !== '') return title;
  }
  return undefined;
}
