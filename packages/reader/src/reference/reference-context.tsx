import { publishForeignText } from '@octavo/markdown';
import type { JsonObject } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { RenderContext } from '../context.ts';
import type { PageNode } from '../document.ts';
import { getNodes, toPlainText } from '../document.ts';
import type { OperationPart, PageReference } from './parts.ts';
import type { SchemaReader } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

/** Context for drawing a part of an API specification. */
export interface ApiReferenceContext {
  context: RenderContext;
  reference: PageReference;
  document: JsonObject;
  schemas: SchemaReader;
  budget: Budget;
  texts: ReferenceTexts;
  /** Level of the headings inside it. */
  level: number;
}

/** Context for drawing an operation. */
export interface OperationContext extends ApiReferenceContext {
  part: OperationPart;
}

/** Limits for all specification blocks of a page: rows of fields, and characters of code and of descriptions. */
const pageLimits = { rows: 4000, code: 160_000, prose: 300_000 };
/** The minimum limits of each block, regardless of how many blocks the page has. */
const minBlockLimits = { rows: 20, code: 1200, prose: 2000 };
const maxBlockLimits = { rows: 800, code: 60_000, prose: 60_000 };

type Kind = keyof typeof pageLimits;

/**
 * The remaining limits of one block. They restrict the size of pages with hundreds of operations or recursive schemas.
 */
export class Budget {
  readonly #remaining: Record<Kind, number>;

  constructor(blocks: number) {
    const getShare = (kind: Kind) =>
      Math.min(
        maxBlockLimits[kind],
        Math.max(minBlockLimits[kind], Math.floor(pageLimits[kind] / Math.max(1, blocks))),
      );
    this.#remaining = { rows: getShare('rows'), code: getShare('code'), prose: getShare('prose') };
  }

  /** Takes `amount` from the budget. Returns false if not enough is left. */
  spend(kind: Kind, amount = 1): boolean {
    if (this.#remaining[kind] < amount) return false;
    this.#remaining[kind] -= amount;
    return true;
  }

  getRemaining = (kind: Kind): number => this.#remaining[kind];
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
  apiContext: ApiReferenceContext;
  /** The section's anchor is the operation's anchor followed by this suffix. */
  name: string;
  title: string;
  children: ComponentChildren;
}

/** A part of an operation with its heading. */
export const Section = ({ apiContext, name, title, children }: SectionProps): ComponentChildren => (
  <section class="reference-part">
    <Title id={`${apiContext.reference.id}~${name}`} level={apiContext.level}>
      {title}
    </Title>
    {children}
  </section>
);

const maxLength = 20_000;

/** Characters that may be Markdown syntax. */
const markdownSyntax = /[*_`[\]<>#~|\\&\n]|https?:|^\s*(?:[-+]|\d+\.)\s/;

/** Draws headings of a description as bold paragraphs, so that they are not headings of the page. */
const replaceHeadings = (nodes: PageNode[]): PageNode[] =>
  nodes.map((node) => {
    const inside = node.nodes === undefined ? {} : { nodes: replaceHeadings(getNodes(node)) };
    if (!node.type?.startsWith('heading-')) return { ...node, ...inside };
    const leaves = [{ object: 'leaf' as const, text: '', marks: [] }];
    return { object: 'block', type: 'paragraph', nodes: inside.nodes ?? [{ object: 'text', leaves }] };
  });

interface ProseProps {
  text: string | undefined;
  apiContext: Pick<ApiReferenceContext, 'context' | 'budget'>;
}

/** A description from a specification, rendered from Markdown without embeds and other active content. */
export function Prose({ text, apiContext: { context, budget } }: ProseProps): ComponentChildren {
  const description = text?.trim().slice(0, maxLength) ?? '';
  if (description === '' || !budget.spend('prose', description.length)) return null;
  if (!markdownSyntax.test(description)) return <p>{description}</p>;
  return context.blocks(replaceHeadings(publishForeignText(description) as unknown as PageNode[]));
}

/** Returns the plain text of a short description, for contexts without formatting. */
export const toPlainDescription = (text: string): string =>
  markdownSyntax.test(text) ? toPlainText(publishForeignText(text.slice(0, maxLength)) as unknown as PageNode[]) : text;
