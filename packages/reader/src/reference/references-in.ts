import { anchorOf } from '../anchors.ts';
import { dataOf, nodesOf, type ShownNode, textOf } from '../document.ts';

/** What of a specification a block shows. */
export type ReferencePart =
  | { kind: 'operation'; path: string; method: string }
  | { kind: 'webhook'; name: string; method: string }
  | { kind: 'schemas'; schemas: string[]; title: string | undefined };

/** A block that shows parts of a specification, which it names by its slug. */
export interface SpecificationReference {
  node: ShownNode;
  /** Its own id, by which addresses name it. */
  slug: string | undefined;
  spec: string;
  part: ReferencePart;
}

const maxSchemas = 200;

function partOf({ type, data = {} }: ShownNode): ReferencePart | undefined {
  const [path, name, method] = [textOf(data, 'path'), textOf(data, 'name'), textOf(data, 'method')?.toLowerCase()];
  if (type === 'openapi-schemas' && Array.isArray(data.schemas))
    return { kind: 'schemas', schemas: data.schemas.slice(0, maxSchemas).map(String), title: textOf(data, 'title') };
  if (method === undefined) return undefined;
  if (type === 'openapi-operation' && path !== undefined) return { kind: 'operation', path, method };
  return type === 'openapi-webhook' && name !== undefined ? { kind: 'webhook', name, method } : undefined;
}

function referenceOf(node: ShownNode): SpecificationReference[] {
  const { ref } = dataOf(node);
  const spec = typeof ref === 'object' && ref !== null ? textOf({ ...ref }, 'spec') : undefined;
  const part = spec === undefined ? undefined : partOf(node);
  return spec === undefined || part === undefined ? [] : [{ node, slug: anchorOf(node), spec, part }];
}

const allIn = (nodes: ShownNode[]): SpecificationReference[] =>
  nodes.flatMap((node) =>
    node.type?.startsWith('openapi-')
      ? referenceOf(node)
      : [...allIn(nodesOf(node)), ...(node.fragments ?? []).flatMap((each) => allIn(nodesOf(each)))],
  );

/** More of one page are not shown. */
const maxReferences = 1000;

/** The blocks of a document that show parts of specifications, in their order. */
export const referencesIn = (nodes: ShownNode[]): SpecificationReference[] => allIn(nodes).slice(0, maxReferences);
