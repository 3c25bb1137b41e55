import { getOwn, isObject } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { OutlineHeading } from '../anchors.ts';
import type { NodeComponent, RenderContext } from '../context.ts';
import type { PageNode } from '../document.ts';
import { Anchor } from '../elements.tsx';
import type { PageAddress } from '../view.ts';
import { readCallbacks } from './callbacks.tsx';
import { Models, parameterLocations, readParameters } from './fields.tsx';
import { Operation, readResponses } from './operation.tsx';
import type { OperationPart, PageReference } from './parts.ts';
import { getDescription } from './parts.ts';
import { Budget, Title, toPlainDescription } from './reference-context.tsx';
import { readSecurity } from './request.ts';
import { getReferenceTexts } from './texts/index.ts';

/** A block that shows parts of a specification. Draws nothing if none are visible to the visitor. */
export const Reference: NodeComponent = ({ node, context }) => {
  const { blocks, schemas } = context.references;
  const of = blocks.get(node);
  if (of === undefined) return null;
  const { page } = context.view;
  const place = page.places?.get(node);
  if (place !== undefined) return <ListedPart context={context} of={of} to={place} />;
  const isTitled = of.title !== '' && (blocks.size > 1 || of.title !== page.title);
  const level = isTitled ? 3 : 2;
  const { document, part } = of;
  const budget = new Budget(blocks.size);
  const apiContext = {
    context,
    of,
    document,
    schemas: schemas(document),
    budget,
    texts: getReferenceTexts(context.locale),
    level,
  };
  return (
    <section class="reference" {...(isTitled ? {} : { id: of.id })}>
      {isTitled && (
        <Title id={of.id} level={2}>
          {of.title}
        </Title>
      )}
      {part.kind === 'models' ? (
        <Models apiContext={apiContext} part={part} />
      ) : (
        <Operation apiContext={{ ...apiContext, part }} />
      )}
    </section>
  );
};

interface Props {
  context: RenderContext;
  of: PageReference;
  to: PageAddress;
}

function CodeSamples({ context, of: { part, title } }: Pick<Props, 'context' | 'of'>): ComponentChildren {
  if (part.kind === 'models') return <strong>{title}</strong>;
  const isDeprecated = getOwn(part.operation, 'deprecated') === true;
  return (
    <>
      <span class={`method ${part.method}`}>{part.method}</span>
      <strong>{title}</strong>
      {isDeprecated && <small>{getReferenceTexts(context.locale).deprecated}</small>}
      {part.name !== title && <code>{part.name}</code>}
    </>
  );
}

/** An entry for a part with its own page, on the page that lists it. */
const ListedPart = ({ context, of, to }: Props): ComponentChildren => (
  <p class="listed" id={of.id}>
    <Anchor context={context} to={to}>
      <CodeSamples context={context} of={of} />
    </Anchor>
  </p>
);

/** If a page has more blocks than this, the outline lists the blocks without their sections. */
const maxWithParts = 3;

/** Returns the outline headings of a block. Listed parts have none. */
export function getPartHeadings(node: PageNode, context: RenderContext): OutlineHeading[] {
  const { blocks } = context.references;
  const of = blocks.get(node);
  if (of === undefined || context.view.page.places?.has(node)) return [];
  const own = blocks.size > 1 || of.title !== context.view.page.title ? [{ id: of.id, level: 2, text: of.title }] : [];
  const named = own.filter(({ text }) => text !== '');
  if (blocks.size > maxWithParts || of.part.kind === 'models') return named;
  const texts = getReferenceTexts(context.locale);
  const parts = getOperationSections(of.document, of.part);
  return [...named, ...parts.map(([name, text]) => ({ id: `${of.id}~${name}`, level: 3, text: texts[text] }))];
}

/** Returns the names and titles of an operation's sections. */
function getOperationSections(document: OperationDocument, part: OperationPart) {
  const isThere = (key: string) => isObject(getOwn(part.operation, key));
  const places = new Set(readParameters(document, part).map(({ place }) => place));
  const isCall = part.kind === 'operation';
  const all = [
    ['authentication', 'authentication', isCall && readSecurity(document, part).some((way) => way.length > 0)],
    ...parameterLocations.map((place) => [place, place, places.has(place)] as const),
    ['body', isCall ? 'body' : 'payload', isThere('requestBody')],
    ['responses', 'responses', readResponses(document, part.operation).length > 0],
    ['callbacks', 'callbacks', readCallbacks(document, part.operation).length > 0],
  ] as const;
  return all.flatMap(([name, text, isShown]) => (isShown ? [[name, text] as const] : []));
}

type OperationDocument = Parameters<typeof readParameters>[0];

/** Returns the description of the part from which a page is generated, or '' for any other page. */
export function getPageDescription({ view, references: { blocks } }: RenderContext): string {
  const [of, ...others] = blocks.values();
  const isAlone = of !== undefined && others.length === 0 && view.page.isMade === true;
  return isAlone ? toPlainDescription(getDescription(of.part)) : '';
}
