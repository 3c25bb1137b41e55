import { publishedOfOthers } from '@octavo/markdown';
import type { ComponentChildren } from 'preact';
import { nodesOf, plainText, type ShownNode } from '../document.ts';
import type { ReferenceDrawing } from './drawn-reference.ts';

const maxLength = 20_000;

/** What may mean something in markdown. */
const marked = /[*_`[\]<>#~|\\&\n]|https?:|^\s*(?:[-+]|\d+\.)\s/;

/** The headings of a description are no headings of the page. */
const withoutHeadings = (nodes: ShownNode[]): ShownNode[] =>
  nodes.map((node) => {
    const inside = node.nodes === undefined ? {} : { nodes: withoutHeadings(nodesOf(node)) };
    if (!node.type?.startsWith('heading-')) return { ...node, ...inside };
    const leaves = [{ object: 'leaf' as const, text: '', marks: [] }];
    return { object: 'block', type: 'paragraph', nodes: inside.nodes ?? [{ object: 'text', leaves }] };
  });

interface Props {
  text: string | undefined;
  from: Pick<ReferenceDrawing, 'at' | 'budget'>;
}

/** A description of a specification, whose markdown shows and does nothing. */
export function Prose({ text, from: { at, budget } }: Props): ComponentChildren {
  const said = text?.trim().slice(0, maxLength) ?? '';
  if (said === '' || !budget.take('prose', said.length)) return null;
  if (!marked.test(said)) return <p>{said}</p>;
  return at.blocks(withoutHeadings(publishedOfOthers(said) as unknown as ShownNode[]));
}

/** The words of a short description, where markdown does not show. */
export const wordsOf = (text: string): string =>
  marked.test(text) ? plainText(publishedOfOthers(text.slice(0, maxLength)) as unknown as ShownNode[]) : text;
