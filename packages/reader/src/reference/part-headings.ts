import { isObject, ownOf } from '@octavo/specification';
import type { ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import type { ShownHeading } from '../frame/shown-heading.ts';
import { parameterPlaces, parametersOf } from './parameters.tsx';
import type { OperationPart } from './read-parts.ts';
import { responsesOf } from './responses.tsx';
import { securityOf } from './security.ts';
import { referenceTextsOf } from './texts/index.ts';

/** Of more blocks than these on a page the outline names each alone, without its parts. */
const maxWithParts = 3;

/** The headings of a block, as the outline of the page has them; what is listed has none. */
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

/** The names and the texts of what an operation has. */
function partsOf(document: OperationDocument, part: OperationPart) {
  const isThere = (key: string) => isObject(ownOf(part.operation, key));
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
