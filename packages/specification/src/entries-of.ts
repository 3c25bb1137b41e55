import type { JsonObject, OpenAPIDocument } from './document.ts';
import { isObject, objectAt, ownOf, textAt } from './document.ts';
import { EntryList, type SpecificationEntry } from './entry-list.ts';
import { placeOf, SpecificationFault } from './fault.ts';
import { isHidden, type Operation, operationsAt } from './operations-at.ts';

const maxTagLevels = 5;

interface Tag {
  name: string;
  value: JsonObject;
  /** The name of the tag that it is below. */
  parent: string | undefined;
}

/** The tags, each with its operations; then operations without a tag, webhooks, and models. @throws SpecificationFault */
export function entriesOf(document: OpenAPIDocument): SpecificationEntry[] {
  const list = new EntryList();
  const operations = operationsAt(document, 'paths');
  addTagged(list, tagsOf(document, operations), operations);
  for (const operation of operations) if (operation.tag === undefined) list.addOperation(operation, null);
  for (const key of ['webhooks', 'x-webhooks']) {
    for (const webhook of operationsAt(document, key)) list.addWebhook(webhook);
  }
  const schemas = objectAt(objectAt(document, 'components'), 'schemas', ['components']);
  for (const [name, schema] of Object.entries(schemas)) if (!isHidden(schema)) list.addModel(name, schema);
  return list.entries;
}

/** Those that the document declares, in its order, then those that only its operations name. */
function tagsOf(document: OpenAPIDocument, operations: Operation[]): Map<string, Tag> {
  const declared = ownOf(document, 'tags') ?? [];
  if (!Array.isArray(declared)) throw new SpecificationFault('tags must be a list.');
  const tags = new Map<string, Tag>();
  for (const [index, value] of declared.entries()) {
    const name = isObject(value) ? textAt(value, 'name') : undefined;
    if (!isObject(value) || name === undefined)
      throw new SpecificationFault(`${placeOf(['tags', index])} must be an object with a name.`);
    tags.set(name, { name, value, parent: textAt(value, 'parent') ?? textAt(value, 'x-parent') });
  }
  for (const { tag } of operations) {
    if (tag !== undefined && !tags.has(tag)) tags.set(tag, { name: tag, value: {}, parent: undefined });
  }
  return tags;
}

function addTagged(list: EntryList, tags: Map<string, Tag>, operations: Operation[]): void {
  const ofTag = Map.groupBy(operations, ({ tag }) => tag);
  const below = Map.groupBy(tags.values(), ({ parent }) => parent);
  const known = new Set<string>();
  const isShown = (tag: Tag): boolean =>
    !isHidden(tag.value) &&
    (ofTag.has(tag.name) || below.has(tag.name) || textAt(tag.value, 'description') !== undefined);

  function add(tag: Tag, parent: number | null, level: number): void {
    if (known.has(tag.name) || !isShown(tag)) return;
    known.add(tag.name);
    const place = list.addTag(tag, parent);
    for (const operation of ofTag.get(tag.name) ?? []) list.addOperation(operation, place);
    if (level === maxTagLevels) return;
    for (const child of below.get(tag.name) ?? []) add(child, place, level + 1);
  }

  for (const tag of tags.values()) if (tag.parent === undefined || !tags.has(tag.parent)) add(tag, null, 1);
  // Those that are below each other in a circle, or too deep.
  for (const tag of tags.values()) add(tag, null, 1);
}
