import type { PageDrawing } from '../drawing.ts';
import { wordsOf } from './prose.tsx';
import { descriptionOf } from './read-parts.ts';

/** What a specification says of the one part that a page is made of; nothing of any other page. */
export function saidOfPart({ view, references: { blocks } }: PageDrawing): string {
  const [of, ...others] = blocks.values();
  const isAlone = of !== undefined && others.length === 0 && view.page.isMade === true;
  return isAlone ? wordsOf(descriptionOf(of.part)) : '';
}
