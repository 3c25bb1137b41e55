import { type Block, type Inline, isBlock, type TextNode, textAt } from './tree/document-tree.ts';
import { parseTree } from './tree/parse-tree.ts';

/** A text may mention so many users. */
export const maxMentions = 50;

/**
 * The ids of the users whom a markdown text mentions as `@usr_...`, each once, as the tree of the text says: code, the
 * addresses of links and escapes mention none. Of more than `maxMentions` one more is given, which the caller reports.
 */
export function mentionsOf(markdown: string): string[] {
  const users = new Set<string>();
  const visit = (node: Block | Inline | TextNode): void => {
    if (node.object === 'text' || users.size > maxMentions) return;
    const user = !isBlock(node) && node.type === 'mention' ? textAt(node.data.ref, 'user') : undefined;
    if (user !== undefined) users.add(user);
    for (const child of node.nodes) visit(child);
  };
  if (markdown.includes('@usr_'))
    for (const node of parseTree(markdown, { sources: 'none', hasKeys: false }).nodes) visit(node);
  return [...users];
}
