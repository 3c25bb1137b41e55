import type { Block, Inline } from '../tree/document-tree.ts';
import { textAt } from '../tree/document-tree.ts';
import { type LinkConditions, standingIn } from './conditional-links.ts';

const maxSpecs = 100;
const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const maxSlugLength = 100;

/** The specifications that blocks of a document refer to, as `standingIn` gives them: so many at most. */
export function specsIn(markdown: string): [spec: string, conditions: LinkConditions | undefined][] {
  if (!markdown.includes('openapi')) return [];
  return [...standingIn(markdown, specsOfBlock)].slice(0, maxSpecs);
}

function specsOfBlock({ type, data }: Block | Inline): string[] {
  if (!type.startsWith('openapi')) return [];
  const spec = textAt(data.ref, 'spec') ?? textAt(data, 'spec') ?? '';
  return spec.length <= maxSlugLength && slug.test(spec) ? [spec] : [];
}
