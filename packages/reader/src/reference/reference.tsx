import { getOwnProperty, isObject } from '@octavo/specification';
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
  const reference = blocks.get(node);
  if (reference === undefined) return null;
  const { page } = context.view;
  const address = page.addressesByNode?.get(node);
  if (address !== undefined) return <ListedPart context={context} reference={reference} to={address} />;
  const isTitled = reference.title !== '' && (blocks.size > 1 || reference.title !== page.title);
  const level = isTitled ? 3 : 2;
  const { document, part } = reference;
  const budget = new Budget(blocks.size);
  const apiContext = {
    context,
    reference,
    document,
    schemas: schemas(document),
    budget,
    texts: getReferenceTexts(context.locale),
    level,
  };
  return (
    <section class="reference" {...(isTitled ? {} : { id: reference.id })}>
      {isTitled && (
        <Title id={reference.id} level={2}>
          {reference.title}
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
  reference: PageReference;
  to: PageAddress;
}

function PartLabel({ context, reference: { part, title } }: Pick<Props, 'context' | 'reference'>): ComponentChildren {
  if (part.kind === 'models') return <strong>{title}</strong>;
  const isDeprecated = getOwnProperty(part.operation, 'deprecated') === true;
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
const ListedPart = ({ context, reference, to }: Props): ComponentChildren => (
  <p class="listed" id={reference.id}>
    <Anchor context={context} to={to}>
      <PartLabel context={context} reference={reference} />
    </Anchor>
  </p>
);

/** If a page has more blocks than this, the outline lists the blocks without their sections. */
const maxWithParts = 3;

/** Returns the outline headings of a block. Listed parts have none. */
export function getPartHeadings(node: PageNode, context: RenderContext): OutlineHeading[] {
  const { blocks } = context.references;
  const reference = blocks.get(node);
  if (reference === undefined || context.view.page.addressesByNode?.has(node)) return [];
  const method = reference.part.kind === 'models' ? {} : { method: reference.part.method };
  const isTitled = blocks.size > 1 || reference.title !== context.view.page.title;
  const own = isTitled ? [{ id: reference.id, level: 2, text: reference.title, ...method }] : [];
  const namedHeadings = own.filter(({ text }) => text !== '');
  if (blocks.size > maxWithParts || reference.part.kind === 'models') return namedHeadings;
  const texts = getReferenceTexts(context.locale);
  const parts = getOperationSections(reference.document, reference.part);
  return [
    ...namedHeadings,
    ...parts.map(([name, text]) => ({ id: `${reference.id}~${name}`, level: 3, text: texts[text] })),
  ];
}

/** Returns the names and titles of an operation's sections. */
function getOperationSections(document: OperationDocument, part: OperationPart) {
  const hasField = (key: string) => isObject(getOwnProperty(part.operation, key));
  const locations = new Set(readParameters(document, part).map(({ location }) => location));
  const isCall = part.kind === 'operation';
  const all = [
    [
      'authentication',
      'authentication',
      isCall && readSecurity(document, part).some((alternative) => alternative.length > 0),
    ],
    ...parameterLocations.map((location) => [location, location, locations.has(location)] as const),
    ['body', isCall ? 'body' : 'payload', hasField('requestBody')],
    ['responses', 'responses', readResponses(document, part.operation).length > 0],
    ['callbacks', 'callbacks', readCallbacks(document, part.operation).length > 0],
  ] as const;
  return all.flatMap(([name, text, isShown]) => (isShown ? [[name, text] as const] : []));
}

type OperationDocument = Parameters<typeof readParameters>[0];

/** Returns the description of the specification part that a page shows, or '' for any other page. */
export function getPageDescription({ view, references: { blocks } }: RenderContext): string {
  const [reference, ...others] = blocks.values();
  const isOnlyReference = reference !== undefined && others.length === 0 && view.page.isGenerated === true;
  return isOnlyReference ? toPlainDescription(getDescription(reference.part)) : '';
}
