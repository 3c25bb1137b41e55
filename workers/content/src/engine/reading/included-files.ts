import type { FindIncluded } from '@octavo/markdown';
import { expandIncludes, findIncludes, removeAnchor, rewriteTargets } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import { isMarkdown } from '@octavo/outline';
import type { IncludedContent } from '../store/content.ts';

interface ExpandedText {
  markdown: string;
  /** The node with the targets of all addresses in its text, including the addresses from included files. */
  node: Node;
}

/**
 * Replaces the includes of other tools (`{{#include}}`, `--8<--`, imported components) with the texts of the files,
 * which an import stores as reusable contents. Addresses in the files are relative to these files, so they are
 * rewritten to addresses with ids.
 */
export function expandText(
  { node, markdown }: ExpandedText,
  contents: ReadonlyMap<string, Pick<IncludedContent, 'node' | 'markdown'>>,
): ExpandedText {
  if (contents.size === 0) return { node, markdown };
  const links: Record<string, string> = {};
  const createIncludeFinder =
    (from: Node): FindIncluded =>
    (address) => {
      const content = contents.get(getRecordedLink(from, address) ?? '');
      const path = content?.node.fields.gitPath;
      if (content === undefined || typeof path !== 'string') return undefined;
      const text = isMarkdown(path) ? toStableTargets(content, links) : content.markdown;
      return { path, text, find: createIncludeFinder(content.node) };
    };
  const expanded = expandIncludes(markdown, createIncludeFinder(node));
  return { markdown: expanded, node: expanded === markdown ? node : { ...node, links: { ...node.links, ...links } } };
}

/** Rewrites addresses to pages and files as addresses with ids, and adds those to `links`. */
function toStableTargets(
  { node, markdown }: Pick<IncludedContent, 'node' | 'markdown'>,
  links: Record<string, string>,
): string {
  return rewriteTargets(markdown, (target) => {
    const address = removeAnchor(target);
    const id = getRecordedLink(node, address);
    if (id === undefined || id.startsWith('rc_')) return undefined;
    const stable = `/${id.startsWith('file_') ? 'files' : 'pages'}/${id}`;
    links[stable] = id;
    return stable + target.slice(address.length);
  });
}

const includeTag = /\{%-?[ \t]{0,9}include/;

/** Whether a text includes other texts. */
export const hasIncludes = ({ node, markdown }: ExpandedText): boolean =>
  includeTag.test(markdown) || getIncludedAddresses(node, markdown).length > 0;

/**
 * Returns the addresses of the files that a text includes, if an import has stored their targets. Other texts only look
 * like includes.
 */
export function getIncludedAddresses({ fields }: Node, markdown: string): string[] {
  const { gitLinks } = fields as { gitLinks?: Record<string, string> };
  if (gitLinks === undefined) return [];
  const addresses = new Set(findIncludes(markdown).map(({ address }) => address));
  return [...addresses].filter((address) => Object.hasOwn(gitLinks, address));
}
