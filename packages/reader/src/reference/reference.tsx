import { getOwn, isObject } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { ShownHeading } from '../anchors.ts';
import type { ShownNode } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { Anchor } from '../elements.tsx';
import type { ShownAddress } from '../view.ts';
import { Budget, Title, wordsOf } from './drawn-reference.tsx';
import { Models, parameterPlaces, parametersOf } from './fields.tsx';
import { Operation, responsesOf } from './operation.tsx';
import type { OperationPart, ReferenceOfPage } from './parts.ts';
import { descriptionOf } from './parts.ts';
import { securityOf } from './request.ts';
import { referenceTextsOf } from './texts/index.ts';

/** A block that shows parts of a specification. Draws nothing if none are visible to the visitor. */
export const Reference: NodeComponent = ({ node, at }) => {
  const { blocks, schemas } = at.references;
  const of = blocks.get(node);
  if (of === undefined) return null;
  const { page } = at.view;
  const place = page.places?.get(node);
  if (place !== undefined) return <ListedPart at={at} of={of} to={place} />;
  const isTitled = of.title !== '' && (blocks.size > 1 || of.title !== page.title);
  const level = isTitled ? 3 : 2;
  const { document, part } = of;
  const budget = new Budget(blocks.size);
  const from = { at, of, document, schemas: schemas(document), budget, texts: referenceTextsOf(at.locale), level };
  return (
    <section class="reference" {...(isTitled ? {} : { id: of.id })}>
      {isTitled && (
        <Title id={of.id} level={2}>
          {of.title}
        </Title>
      )}
      {part.kind === 'models' ? <Models from={from} part={part} /> : <Operation from={{ ...from, part }} />}
    </section>
  );
};

interface Props {
  at: PageDrawing;
  of: ReferenceOfPage;
  to: ShownAddress;
}

function Call({ at, of: { part, title } }: Pick<Props, 'at' | 'of'>): ComponentChildren {
  if (part.kind === 'models') return <strong>{title}</strong>;
  const isDeprecated = getOwn(part.operation, 'deprecated') === true;
  return (
    <>
      <span class={`method ${part.method}`}>{part.method}</span>
      <strong>{title}</strong>
      {isDeprecated && <small>{referenceTextsOf(at.locale).deprecated}</small>}
      {part.name !== title && <code>{part.name}</code>}
    </>
  );
}

/** An entry for a part with its own page, on the page that lists it. */
const ListedPart = ({ at, of, to }: Props): ComponentChildren => (
  <p class="listed" id={of.id}>
    <Anchor at={at} to={to}>
      <Call at={at} of={of} />
    </Anchor>
  </p>
);

/** If a page has more blocks than this, the outline lists the blocks without their sections. */
const maxWithParts = 3;

/** Returns the outline headings of a block. Listed parts have none. */
export function partHeadings(node: ShownNode, at: PageDrawing): ShownHeading[] {
  const { blocks } = at.references;
  const of = blocks.get(node);
  if (of === undefined || at.view.page.places?.has(node)) return [];
  const own = blocks.size > 1 || of.title !== at.view.page.title ? [{ id: of.id, level: 2, text: of.title }] : [];
  const named = own.filter(({ text }) => text !== '');
  if (blocks.size > maxWithParts || of.part.kind === 'models') return named;
  const texts = referenceTextsOf(at.locale);
  const parts = partsOf(of.document, of.part);
  return [...named, ...parts.map(([name, text]) => ({ id: `${of.id}~${name}`, level: 3, text: texts[text] }))];
}

/** Returns the names and titles of an operation's sections. */
function partsOf(document: OperationDocument, part: OperationPart) {
  const isThere = (key: string) => isObject(getOwn(part.operation, key));
  const places = new Set(parametersOf(document, part).map(({ place }) => place));
  const isCall = part.kind === 'operation';
  const all = [
    ['authentication', 'authentication', isCall && securityOf(document, part).some((way) => way.length > 0)],
    ...parameterPlaces.map((place) => [place, place, places.has(place)] as const),
    ['body', isCall ? 'body' : 'payload', isThere('requestBody')],
    ['responses', 'responses', responsesOf(document, part.operation).length > 0],
  ] as const;
  return all.flatMap(([name, text, isShown]) => (isShown ? [[name, text] as const] : []));
}

type OperationDocument = Parameters<typeof parametersOf>[0];

/** Returns the description of the part from which a page is generated, or '' for any other page. */
export function saidOfPart({ view, references: { blocks } }: PageDrawing): string {
  const [of, ...others] = blocks.values();
  const isAlone = of !== undefined && others.length === 0 && view.page.isMade === true;
  return isAlone ? wordsOf(descriptionOf(of.part)) : '';
}
