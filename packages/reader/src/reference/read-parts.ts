import { slugify } from '@octavo/markdown';
import { isObject, type JsonObject, operationAt, ownOf, textAt } from '@octavo/specification';
import { anchorOf } from '../anchors.ts';
import { nodesOf, type ShownDocument, type ShownNode } from '../document.ts';
import type { PageView } from '../view.ts';
import { referencesIn, type SpecificationReference } from './references-in.ts';

/** An operation of a path, or what a webhook sends. */
export interface OperationPart {
  kind: 'operation' | 'webhook';
  method: string;
  /** The path, or the name of the webhook. */
  name: string;
  /** What stands at the path for all of its methods. */
  item: JsonObject;
  operation: JsonObject;
}

export interface ModelsPart {
  kind: 'models';
  models: { name: string; schema: unknown }[];
}

/** A block of a page with what it shows. */
export interface ReferenceOfPage {
  id: string;
  title: string;
  spec: string;
  /** The excerpt of the specification in which references lead on. */
  document: JsonObject;
  part: OperationPart | ModelsPart;
}

function readPart({ part }: SpecificationReference, document: JsonObject): OperationPart | ModelsPart | undefined {
  if (part.kind === 'schemas') {
    const components = ownOf(document, 'components');
    const all = isObject(components) ? ownOf(components, 'schemas') : undefined;
    if (!isObject(all)) return undefined;
    const names = part.schemas.filter((name) => Object.hasOwn(all, name));
    return { kind: 'models', models: names.map((name) => ({ name, schema: ownOf(all, name) })) };
  }
  const { method, kind } = part;
  const [keys, name] = kind === 'operation' ? [['paths'], part.path] : [['webhooks', 'x-webhooks'], part.name];
  for (const key of keys) {
    const found = operationAt(document, { key, name, method });
    if (found !== undefined) return { kind, method, name, ...found };
  }
  return undefined;
}

const maxTitleLength = 300;
const maxSummaryLength = 120;

/** Whether a summary is no title: it is read with the description. */
export const isLongSummary = (summary: string): boolean => summary.length > maxSummaryLength;

function titleOf(part: OperationPart | ModelsPart, title: string | undefined): string {
  if (part.kind === 'models') {
    const [first, ...others] = part.models;
    return title ?? (others.length === 0 ? first?.name : undefined) ?? '';
  }
  const { operation, method, name, kind } = part;
  const told = ['x-page-title', 'x-displayName', 'summary', 'operationId'].map((key) => textAt(operation, key));
  const found = told.find((each) => each !== undefined && each.trim() !== '' && !isLongSummary(each));
  return (found ?? (kind === 'webhook' ? name : `${method.toUpperCase()} ${name}`)).slice(0, maxTitleLength);
}

/** What a specification says of a part, as it is written. */
export function descriptionOf(part: OperationPart | ModelsPart): string {
  const said = part.kind === 'models' ? part.models[0]?.schema : part.operation;
  return (isObject(said) ? textAt(said, 'description') : undefined) ?? '';
}

const idsIn = (nodes: ShownNode[]): string[] =>
  nodes.flatMap((node) => {
    const id = node.type?.startsWith('heading-') ? anchorOf(node) : undefined;
    return [...(id === undefined ? [] : [id]), ...idsIn(nodesOf(node))];
  });

/** The parts of specifications that the blocks of a page show; of a block that shows nothing that there is, there is none. */
export function readParts({ nodes }: ShownDocument, specifications: PageView['specifications']) {
  const taken = new Set(idsIn(nodes));
  const found = new Map<ShownNode, ReferenceOfPage>();
  for (const reference of referencesIn(nodes)) {
    const { node, spec, slug } = reference;
    const document = Object.hasOwn(specifications, spec) ? specifications[spec] : undefined;
    const part = document === undefined ? undefined : readPart(reference, document);
    if (document === undefined || part === undefined) continue;
    const title = titleOf(part, reference.part.kind === 'schemas' ? reference.part.title : undefined);
    const wanted = slug ?? (slugify(title) || 'reference');
    let id = wanted;
    for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
    taken.add(id);
    found.set(node, { id, title, spec, document, part });
  }
  return found;
}
