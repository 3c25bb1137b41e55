import type { Node } from '@octavo/merge';
import { idOfLinks } from '@octavo/outline';
import type { GitSource, TextGitMetadata } from '@octavo/schema';

/** Where a text comes from, as listings tell it; nothing where that is not known. */
export function presentGit({ oid, fields }: Node): { git?: TextGitMetadata } {
  const { gitPath: path, gitLinks } = fields as { gitPath?: string; gitLinks?: GitSource['links'] };
  if (oid === undefined || path === undefined) return {};
  return { git: { oid, path, ...(gitLinks === undefined ? {} : { linksId: idOfLinks(gitLinks) }) } };
}

/** The same, with what was told of its addresses. */
export function presentWholeGit(node: Node): { git?: TextGitMetadata } {
  const { git } = presentGit(node);
  const { gitLinks: links } = node.fields as { gitLinks?: GitSource['links'] };
  if (git === undefined) return {};
  return { git: { ...git, ...(links === undefined ? {} : { links }) } };
}
