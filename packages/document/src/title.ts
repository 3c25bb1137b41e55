import { blocksOf } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { plainText } from './plain-text.ts';

/** Plain text of the first heading (ATX or setext, any level) of the top level after the frontmatter. */
export function titleOf(markdown: string): string | undefined {
  const { blocks, labels } = blocksOf(markdown.slice(readFrontmatter(markdown).bodyOffset));
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const title = plainText(block.source, labels);
    if (title !== '') return title;
  }
  return undefined;
}
