import { anchorOf } from '../anchors.ts';
import type { ShownDocument, ShownNode } from '../document.ts';
import type { PageView } from '../view.ts';
import { descriptionOf, readParts } from './read-parts.ts';

/** A part of a specification that a block of a page names by an id of its own. */
export interface NamedPart {
  node: ShownNode;
  /** The id of the block. */
  slug: string;
  title: string;
  /** What the specification says of it, as it is written. */
  description: string;
  /** Of an operation, and of what a webhook sends. */
  method: string | undefined;
}

/** The parts of specifications on a page, as far as there are such parts. */
export const namedParts = (document: ShownDocument, specifications: PageView['specifications']): NamedPart[] =>
  [...readParts(document, specifications)].flatMap(([node, { title, part }]) => {
    const slug = anchorOf(node);
    const method = part.kind === 'models' ? undefined : part.method;
    return slug === undefined ? [] : [{ node, slug, title, description: descriptionOf(part), method }];
  });
