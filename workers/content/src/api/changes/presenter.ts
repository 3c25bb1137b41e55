import type { Json } from '@octavo/expression';
import type { Node } from '@octavo/merge';
import { diffLines, isSameJson } from '@octavo/merge';
import type { DocumentChange, File, FileAttributes, PageAttributes, SemanticChange, Variables } from '@octavo/schema';
import { getPageFields } from '../../engine/store/nodes.ts';

interface ChangeContext {
  /** Pages that others have as parents. */
  around: Node[];
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

/** Presents node changes: pages created, edited, moved, deleted; files; contents; variables as one entry. */
export function describeChanges(changes: NodeChange[], surroundings: ChangeContext): SemanticChange[] {
  const variables = changes.filter(({ before, after }) => (after ?? before)?.kind === 'variable');
  const described = changes.flatMap((change) => describeChange(change, surroundings));
  return variables.length === 0 ? described : [...described, describeVariables(variables)];
}

function describeChange({ before, after }: NodeChange, surroundings: ChangeContext): SemanticChange[] {
  const node = after ?? before;
  if (node === undefined || node.kind === 'variable') return [];
  if (node.kind === 'file') {
    const [was, is] = [surroundings.files.before.get(node.id), surroundings.files.after.get(node.id)];
    if (is === undefined) return was === undefined ? [] : [{ type: 'file_deleted', file: was }];
    if (was === undefined) return [{ type: 'file_created', file: is }];
    return [{ type: 'file_edited', file: is, attributes: compareFiles(was, is) }];
  }
  if (node.kind === 'reusable-content') return [describeContent({ before, after }, surroundings)];
  if (before === undefined || after === undefined) {
    const type = before === undefined ? 'page_created' : 'page_deleted';
    return [{ type, page: toPageReference(node), ...describeText({ before, after }, surroundings) }];
  }
  return describePage(before, after, surroundings);
}

function describeContent({ before, after }: NodeChange, surroundings: ChangeContext): SemanticChange {
  const node = after ?? before;
  const reusableContent = {
    id: node?.id ?? '',
    title: String(node?.fields.title),
    ...(node?.document == null ? {} : { document: node.document }),
  };
  const text = describeText({ before, after }, surroundings);
  if (before === undefined || after === undefined) {
    const type = before === undefined ? 'reusable_content_created' : 'reusable_content_deleted';
    return { type, reusableContent, ...text };
  }
  const [was, is] = [String(before.fields.title), String(after.fields.title)];
  const title = was === is ? {} : { title: { before: was, after: is } };
  return { type: 'reusable_content_edited', reusableContent, attributes: { ...title, ...text.attributes } };
}

function compareFiles(before: File, after: File): FileAttributes {
  const keys = ['name', 'contentType', 'size', 'dimensions', 'downloadURL'] as const;
  const changed = keys.filter((key) => !isSameJson(before[key] ?? null, after[key] ?? null));
  return Object.fromEntries(changed.map((key) => [key, toSides(before[key], after[key])]));
}

function describePage(before: Node, after: Node, { around, texts }: ChangeContext): SemanticChange[] {
  const changes: SemanticChange[] = [];
  const edited = compareAttributes(before, after, texts);
  if (Object.keys(edited).length > 0)
    changes.push({ type: 'page_edited', page: toPageReference(after), attributes: edited });
  if (before.parent !== after.parent || before.position !== after.position) {
    const parent = (id: string) => around.find((node) => node.id === id);
    const [was, is] = [parent(before.parent), parent(after.parent)];
    changes.push({
      type: 'page_moved',
      page: toPageReference(after),
      parent: {
        ...(was === undefined ? {} : { before: toPageReference(was) }),
        ...(is === undefined ? {} : { after: toPageReference(is) }),
      },
    });
  }
  return changes;
}

function compareAttributes(before: Node, after: Node, texts: TextChanges): PageAttributes {
  const found: Record<string, unknown> = {};
  const compare = (key: string, [was, is]: [Json | undefined, Json | undefined]) => {
    if (!isSameJson(was ?? null, is ?? null)) found[key] = toSides(was, is);
  };
  for (const key of attributes) compare(key, [before.fields[key], after.fields[key]]);
  compare('slug', [before.slug, after.slug]);
  const document = texts.compare({ before, after });
  if (document !== undefined) found.document = document;
  return found as PageAttributes;
}

function describeText(change: NodeChange, { texts }: ChangeContext) {
  const document = texts.compare(change);
  return document === undefined ? {} : { attributes: { document } };
}

const toSides = (before: Json | undefined, after: Json | undefined) => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

const toPageReference = (node: Node) => ({
  id: node.id,
  type: getPageFields(node).type,
  title: getPageFields(node).title,
});

function describeVariables(changes: NodeChange[]): SemanticChange {
  const side = (nodes: (Node | undefined)[]): Variables =>
    Object.fromEntries(
      nodes.flatMap((node) => (node === undefined ? [] : [[node.id, node.fields.value]])),
    ) as Variables;
  const variables = {
    before: side(changes.map(({ before }) => before)),
    after: side(changes.map(({ after }) => after)),
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

/** Compares documents. Later documents get the bytes that earlier diffs leave. */
export class TextChanges {
  readonly #texts: Map<string, string>;
  #left = maxDiffBytes;

  /** @param texts Markdown by document id, for documents small enough to be compared. */
  constructor(texts: Map<string, string>) {
    this.#texts = texts;
  }

  /** Undefined if the document is unchanged, or there is none. */
  compare({ before, after }: NodeChange): DocumentChange | undefined {
    const [was, is] = [before?.document ?? null, after?.document ?? null];
    if (was === is) return undefined;
    const ids = { ...(was === null ? {} : { before: was }), ...(is === null ? {} : { after: is }) };
    const [old, next] = [was, is].map((hash) => (hash === null ? '' : this.#texts.get(hash)));
    if (old === undefined || next === undefined) return { ...ids, truncated: true };
    const { diff, ...counts } = diffLines(old, next, this.#left);
    const bytes = diff === undefined ? 0 : encoder.encode(diff).length;
    if (diff === undefined || bytes > this.#left) return { ...ids, ...counts, truncated: true };
    this.#left -= bytes;
    return { ...ids, ...counts, diff };
  }
}
