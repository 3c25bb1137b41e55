import { publishedOfOthers } from '@octavo/markdown';
import type { JsonObject } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import { nodesOf, plainText } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import type { OperationPart, ReferenceOfPage } from './parts.ts';
import type { SchemaReader } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

/** What a part of a specification is drawn with. */
export interface ReferenceDrawing {
  at: PageDrawing;
  of: ReferenceOfPage;
  document: JsonObject;
  schemas: SchemaReader;
  budget: Budget;
  texts: ReferenceTexts;
  /** The level of the headings inside of it. */
  level: number;
}

/** The same of an operation. */
export interface OperationDrawing extends ReferenceDrawing {
  part: OperationPart;
}

/** What is drawn of the specifications of one page at most: rows of fields, characters of code, and of descriptions. */
const ofPage = { rows: 4000, code: 160_000, prose: 300_000 };
/** What one block has, however many others there are. */
const atLeast = { rows: 20, code: 1200, prose: 2000 };
const atMost = { rows: 800, code: 60_000, prose: 60_000 };

type Kind = keyof typeof ofPage;

/** What is left to draw of one block: pages of a hundred operations stay pages, and nothing that repeats itself goes on. */
export class Budget {
  readonly #left: Record<Kind, number>;

  constructor(blocks: number) {
    const share = (kind: Kind) =>
      Math.min(atMost[kind], Math.max(atLeast[kind], Math.floor(ofPage[kind] / Math.max(1, blocks))));
    this.#left = { rows: share('rows'), code: share('code'), prose: share('prose') };
  }

  /** Whether there is so much left, which is taken then. */
  take(kind: Kind, amount = 1): boolean {
    if (this.#left[kind] < amount) return false;
    this.#left[kind] -= amount;
    return true;
  }

  left = (kind: Kind): number => this.#left[kind];
}

interface TitleProps {
  id: string;
  level: number;
  children: ComponentChildren;
}

/** A heading of a reference, which is a link to itself. */
export function Title({ id, level, children }: TitleProps): ComponentChildren {
  const Tag = `h${Math.min(6, level)}` as 'h2';
  return (
    <Tag id={id}>
      {children}
      <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-labelledby={id}>
        #
      </a>
    </Tag>
  );
}

interface SectionProps {
  from: ReferenceDrawing;
  /** What its place in the page is called after the operation's. */
  name: string;
  title: string;
  children: ComponentChildren;
}

/** A part of an operation under its heading. */
export const Section = ({ from, name, title, children }: SectionProps): ComponentChildren => (
  <section class="reference-part">
    <Title id={`${from.of.id}~${name}`} level={from.level}>
      {title}
    </Title>
    {children}
  </section>
);

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

interface ProseProps {
  text: string | undefined;
  from: Pick<ReferenceDrawing, 'at' | 'budget'>;
}

/** A description of a specification, whose markdown shows and does nothing. */
export function Prose({ text, from: { at, budget } }: ProseProps): ComponentChildren {
  const said = text?.trim().slice(0, maxLength) ?? '';
  if (said === '' || !budget.take('prose', said.length)) return null;
  if (!marked.test(said)) return <p>{said}</p>;
  return at.blocks(withoutHeadings(publishedOfOthers(said) as unknown as ShownNode[]));
}

/** The words of a short description, where markdown does not show. */
export const wordsOf = (text: string): string =>
  marked.test(text) ? plainText(publishedOfOthers(text.slice(0, maxLength)) as unknown as ShownNode[]) : text;
