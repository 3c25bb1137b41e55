import type { LinkKind, LinkRelation } from './occurrence.ts';
import { occurrencesOf } from './occurrences.ts';
import { writeTarget } from './write-target.ts';

/** A target that a document names, as it is meant: escapes and entities are read. */
export interface DocumentLink {
  target: string;
  /** `dependsOn` where the text of the target is a part of the document. */
  relation: LinkRelation;
  kind: LinkKind;
}

/**
 * What a document links to, each distinct target once, in order: inline links and images, definitions that are used,
 * autolinks, HTML links and images, block tags, the cover. Code and comments hold no links. Linear in the length.
 */
export function linksOf(markdown: string): DocumentLink[] {
  const links = new Map<string, DocumentLink>();
  for (const { target, relation, kind } of occurrencesOf(markdown)) {
    const known = links.get(target);
    if (known === undefined) links.set(target, { target, relation, kind });
    else if (relation === 'dependsOn') links.set(target, { ...known, relation });
  }
  return [...links.values()];
}

/** A document with other targets: those for which `to` gives another text. All else stays as it is, byte for byte. */
export function rewriteTargets(markdown: string, to: (target: string) => string | undefined): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, target, style } of occurrencesOf(markdown)) {
    const other = to(target);
    if (other === undefined || other === target) continue;
    parts.push(markdown.slice(position, start), writeTarget(other, style, markdown.slice(start, end)));
    position = end;
  }
  return [...parts, markdown.slice(position)].join('');
}

/** A target without what follows a hash sign: links are kept by what they lead to, not by the place in it. */
export const withoutAnchor = (target: string): string => target.split('#', 1)[0] ?? '';
