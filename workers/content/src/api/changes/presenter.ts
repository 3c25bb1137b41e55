import type { Json } from '@octavo/expression';
import type { Node } from '@octavo/merge';
import { diffLines, isSameJson } from '@octavo/merge';
import type { DocumentChange, File, FileAttributes, PageAttributes, SemanticChange, Variables } from '@octavo/schema';
import { getPageFields } from '../../engine/store/nodes.ts';

interface ChangeContext {
  /** The parents of changed pages, and the nodes of the older state. */
  surroundingNodes: Node[];
  texts: TextChanges;
  /** Changed files as presented, by id, in the older and the newer state. */
  files: { before: Map<string, File>; after: Map<string, File> };
}

const attributes = [
  'title',
  'description',
  'emoji',
  'icon',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'condition',
  'cover',
  'layout',
  'variables',
  'target',
] as const;

/**
 * Describes node changes: created, edited, moved and deleted pages; files; reusable contents; and all variables as one
 * entry.
 */
export function describeChanges(changes: NodeChange[], context: ChangeContext): SemanticChange[] {
  const variables = changes.filter(({ before, after }) => (after ?? before)?.kind === 'variable');
  const semanticChanges = changes.flatMap((change) => describeChange(change, context));
  return variables.length === 0 ? semanticChanges : [...semanticChanges, describeVariables(variables)];
}

function describeChange({ before, after }: NodeChange, context: ChangeContext): SemanticChange[] {
  const node = after ?? before;
  if (node === undefined || node.kind === 'variable') return [];
  if (node.kind === 'file') {
    const [formerFile, currentFile] = [context.files.before.get(node.id), context.files.after.get(node.id)];
    if (currentFile === undefined) return formerFile === undefined ? [] : [{ type: 'file_deleted', file: formerFile }];
    if (formerFile === undefined) return [{ type: 'file_created', file: currentFile }];
    return [{ type: 'file_edited', file: currentFile, attributes: compareFiles(formerFile, currentFile) }];
  }
  if (node.kind === 'reusable-content') return [describeContent({ before, after }, context)];
  if (before === undefined || after === undefined) {
    const type = before === undefined ? 'page_created' : 'page_deleted';
    return [{ type, page: toPageReference(node), ...describeText({ before, after }, context) }];
  }
  return describePage(before, after, context);
}

function describeContent({ before, after }: NodeChange, context: ChangeContext): SemanticChange {
  const node = after ?? before;
  const reusableContent = {
    id: node?.id ?? '',
    title: String(node?.fields.title),
    ...(node?.document == null ? {} : { document: node.document }),
  };
  const text = describeText({ before, after }, context);
  if (before === undefined || after === undefined) {
    const type = before === undefined ? 'reusable_content_created' : 'reusable_content_deleted';
    return { type, reusableContent, ...text };
  }
  const [formerTitle, currentTitle] = [String(before.fields.title), String(after.fields.title)];
  const title = formerTitle === currentTitle ? {} : { title: { before: formerTitle, after: currentTitle } };
  return { type: 'reusable_content_edited', reusableContent, attributes: { ...title, ...text.attributes } };
}

function compareFiles(before: File, after: File): FileAttributes {
  const keys = ['name', 'contentType', 'size', 'dimensions', 'downloadURL'] as const;
  const changed = keys.filter((key) => !isSameJson(before[key] ?? null, after[key] ?? null));
  return Object.fromEntries(changed.map((key) => [key, createBeforeAndAfter(before[key], after[key])]));
}

function describePage(before: Node, after: Node, { surroundingNodes, texts }: ChangeContext): SemanticChange[] {
  const changes: SemanticChange[] = [];
  const editedAttributes = compareAttributes(before, after, texts);
  if (Object.keys(editedAttributes).length > 0)
    changes.push({ type: 'page_edited', page: toPageReference(after), attributes: editedAttributes });
  if (before.parent !== after.parent || before.position !== after.position) {
    const findParent = (id: string) => surroundingNodes.find((node) => node.id === id);
    const [formerParent, currentParent] = [findParent(before.parent), findParent(after.parent)];
    changes.push({
      type: 'page_moved',
      page: toPageReference(after),
      parent: {
        ...(formerParent === undefined ? {} : { before: toPageReference(formerParent) }),
        ...(currentParent === undefined ? {} : { after: toPageReference(currentParent) }),
      },
    });
  }
  return changes;
}

function compareAttributes(before: Node, after: Node, texts: TextChanges): PageAttributes {
  const changedAttributes: Record<string, unknown> = {};
  const compare = (key: string, [formerValue, currentValue]: [Json | undefined, Json | undefined]) => {
    if (!isSameJson(formerValue ?? null, currentValue ?? null))
      changedAttributes[key] = createBeforeAndAfter(formerValue, currentValue);
  };
  for (const key of attributes) compare(key, [before.fields[key], after.fields[key]]);
  compare('slug', [before.slug, after.slug]);
  const document = texts.compare({ before, after });
  if (document !== undefined) changedAttributes.document = document;
  return changedAttributes as PageAttributes;
}

function describeText(change: NodeChange, { texts }: ChangeContext) {
  const document = texts.compare(change);
  return document === undefined ? {} : { attributes: { document } };
}

const createBeforeAndAfter = (before: Json | undefined, after: Json | undefined) => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

const toPageReference = (node: Node) => ({
  id: node.id,
  type: getPageFields(node).type,
  title: getPageFields(node).title,
});

function describeVariables(changes: NodeChange[]): SemanticChange {
  const getVariables = (nodes: (Node | undefined)[]): Variables =>
    Object.fromEntries(
      nodes.flatMap((node) => (node === undefined ? [] : [[node.id, node.fields.value]])),
    ) as Variables;
  const variables = {
    before: getVariables(changes.map(({ before }) => before)),
    after: getVariables(changes.map(({ after }) => after)),
  };
  return { type: 'variables_edited', variables };
}

/** A node before and after; at least one of them exists. */
export interface NodeChange {
  before: Node | undefined;
  after: Node | undefined;
}

/** Maximum total size of the diffs in one response, in bytes. */
const maxDiffBytes = 512 * 1024;

const encoder = new TextEncoder();

/** Compares documents. All diffs of a response share one limit, `maxDiffBytes`. */
export class TextChanges {
  readonly #texts: Map<string, string> | undefined;
  #remainingBytes = maxDiffBytes;

  /**
   * @param texts Markdown by document id, for documents small enough to be compared. Undefined if no documents are
   * compared.
   */
  constructor(texts: Map<string, string> | undefined) {
    this.#texts = texts;
  }

  /** Returns undefined if the document is unchanged, or if the node has no document in both states. */
  compare({ before, after }: NodeChange): DocumentChange | undefined {
    const [formerHash, currentHash] = [before?.document ?? null, after?.document ?? null];
    if (formerHash === currentHash) return undefined;
    const ids = {
      ...(formerHash === null ? {} : { before: formerHash }),
      ...(currentHash === null ? {} : { after: currentHash }),
    };
    const texts = this.#texts;
    if (texts === undefined) return ids;
    const [old, next] = [formerHash, currentHash].map((hash) => (hash === null ? '' : texts.get(hash)));
    if (old === undefined || next === undefined) return { ...ids, truncated: true };
    const { diff, ...counts } = diffLines(old, next, this.#remainingBytes);
    const bytes = diff === undefined ? 0 : encoder.encode(diff).length;
    if (diff === undefined || bytes > this.#remainingBytes) return { ...ids, ...counts, truncated: true };
    this.#remainingBytes -= bytes;
    return { ...ids, ...counts, diff };
  }
}
