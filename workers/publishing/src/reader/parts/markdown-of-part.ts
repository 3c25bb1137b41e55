import { type Block, block, blocksOfOthers, renderTree, treeOf } from '@octavo/markdown';
import { namedParts, type PageView, referencesIn, type SpecificationReference } from '@octavo/reader';

function blockOf({ spec, part }: SpecificationReference): Block {
  const ref = { kind: 'openapi', spec };
  if (part.kind === 'schemas') return block('openapi-schemas', { ref, schemas: part.schemas, grouped: false });
  const { kind, ...named } = part;
  return block(`openapi-${kind}`, { ref, ...named });
}

/** The text of a page that shows one part of a specification, as the API gives it of a page that is made of one. */
export function markdownOfPart({ page: { document }, specifications }: PageView): string {
  const [reference] = referencesIn(document.nodes);
  const [part] = namedParts(document, specifications);
  if (reference === undefined || part === undefined) return '';
  return renderTree(treeOf([...blocksOfOthers(part.description), { ...blockOf(reference), isVoid: true }]));
}
