import { publishedOfOthers } from '@octavo/markdown';
import type { JsonObject } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import { nodesOf, plainText } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import type { OperationPart, ReferenceOfPage } from './parts.ts';
import type { SchemaReader } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

/** Context for drawing a part of an API specification. */
export interface ReferenceDrawing {
  at: PageDrawing;
  of: ReferenceOfPage;
  document: JsonObject;
  schemas: SchemaReader;
  budget: Budget;
  texts: ReferenceTexts;
  /** Level of the headings inside it. */
  level: number;
}

/** Context for drawing an operation. */
export interface OperationDrawing extends ReferenceDrawing {
  part: OperationPart;
}

/** Limits for all specification blocks of a page: rows of fields, and characters of code and of descriptions. */
const ofPage = { rows: 4000, code: 160_000, prose: 300_000 };
/** Every block may draw this much, regardless of how many blocks the page has. */
const atLeast = { rows: 20, code: 1200, prose: 2000 };
const atMost = { rows: 800, code: 60_000, prose: 60_000 };

type Kind = keyof typeof ofPage;

/** Remaining limits of one block. They bound pages with hundreds of operations and recursive schemas. */
export class Budget {
  readonly #left: Record<Kind, number>;

  constructor(blocks: number) {
    const share = (kind: Kind) =>
      Math.min(atMost[kind], Math.max(atLeast[kind], Math.floor(ofPage[kind] / Math.max(1, blocks))));
    this.#left = { rows: share('rows'), code: share('code'), prose: share('prose') };
  }

  /** Takes `amount` from the budget. Returns false if not enough is left. */
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

/** A heading of a reference, which links to itself. */
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
  /** Suffix of its anchor after the operation's. */
  name: string;
  title: string;
  children: ComponentChildren;
}

/** A part of an operation with its heading. */
export const Section = ({ from, name, title, children }: SectionProps): ComponentChildren => (
  <section class="reference-part">
    <Title id={`${from.of.id}~${name}`} level={from.level}>
      {title}
    </Title>
    {children}
  </section>
);

const maxLength = 20_000;

/** Characters that may be Markdown syntax. */
const marked = /[*_`[\]<>#~|\\&\n]|https?:|^\s*(?:[-+]|\d+\.)\s/;

/** Draws headings of a description as bold paragraphs, so that they are not headings of the page. */
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

/** A description from a specification, rendered from Markdown without embeds and other active content. */
export function Prose({ text, from: { at, budget } }: ProseProps): ComponentChildren {
  const said = text?.trim().slice(0, maxLength) ?? '';
  if (said === '' || !budget.take('prose', said.length)) return null;
  if (!marked.test(said)) return <p>{said}</p>;
  return at.blocks(withoutHeadings(publishedOfOthers(said) as unknown as ShownNode[]));
}

/** Returns the plain text of a short description, for contexts without formatting. */
export const wordsOf = (text: string): string =>
  marked.test(text) ? plainText(publishedOfOthers(text.slice(0, maxLength)) as unknown as ShownNode[]) : text;
