import type { Json, Node } from '@octavo/document';
import { diffStat, sameJson } from '@octavo/document';
import type { File, PageAttributes, SemanticChange, Variables } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';

/** A node before and after; one of the two exists. */
export interface NodeChange {
  before: Node | undefined;
  after: Node | undefined;
}

interface Surroundings {
  /** Pages that others name as their parents. */
  around: Node[];
  /** Markdown by document id. */
  texts: Map<string, string>;
  /** Files that changed, as the API gives them, by their id. */
  files: Map<string, File>;
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

/** Tells node changes in the words of the API: pages created, edited, moved, deleted; files, contents; variables as one entry. */
export function describeChanges(changes: NodeChange[], surroundings: Surroundings): SemanticChange[] {
  const variables = changes.filter(({ before, after }) => (after ?? before)?.kind === 'variable');
  const described = changes.flatMap((change) => describe(change, surroundings));
  return variables.length === 0 ? described : [...described, variablesEdited(variables)];
}

function describe({ before, after }: NodeChange, surroundings: Surroundings): SemanticChange[] {
  const node = after ?? before;
  if (node === undefined || node.kind === 'variable') return [];
  const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'edited';
  if (node.kind === 'file') {
    const file = surroundings.files.get(node.id);
    return file === undefined ? [] : [{ type: `file_${verb}`, file }];
  }
  if (node.kind === 'reusable-content') {
    return [{ type: `reusable_content_${verb}`, reusableContent: { id: node.id, title: String(node.fields.title) } }];
  }
  if (before === undefined) return [{ type: 'page_created', page: pageOf(node) }];
  if (after === undefined) return [{ type: 'page_deleted', page: pageOf(node) }];
  return describePage(before, after, surroundings);
}

function describePage(before: Node, after: Node, { around, texts }: Surroundings): SemanticChange[] {
  const changes: SemanticChange[] = [];
  const edited = attributesOf(before, after, texts);
  if (Object.keys(edited).length > 0) changes.push({ type: 'page_edited', page: pageOf(after), attributes: edited });
  if (before.parent !== after.parent || before.position !== after.position) {
    const parent = (id: string) => around.find((node) => node.id === id);
    const [was, is] = [parent(before.parent), parent(after.parent)];
    changes.push({
      type: 'page_moved',
      page: pageOf(after),
      parent: {
        ...(was === undefined ? {} : { before: pageOf(was) }),
        ...(is === undefined ? {} : { after: pageOf(is) }),
      },
    });
  }
  return changes;
}

function attributesOf(before: Node, after: Node, texts: Map<string, string>): PageAttributes {
  const found: Record<string, unknown> = {};
  const compare = (key: string, [was, is]: [Json | undefined, Json | undefined]) => {
    if (!sameJson(was ?? null, is ?? null)) found[key] = sides(was, is);
  };
  for (const key of attributes) compare(key, [before.fields[key], after.fields[key]]);
  compare('slug', [before.slug, after.slug]);
  if (before.document !== after.document) {
    const [was, is] = [before.document, after.document].map((hash) => (hash === null ? '' : texts.get(hash)));
    found.document = {
      ...sides(before.document ?? undefined, after.document ?? undefined),
      ...(was === undefined || is === undefined ? {} : diffStat(was, is)),
    };
  }
  return found as PageAttributes;
}

const sides = (before: Json | undefined, after: Json | undefined) => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

const pageOf = (node: Node) => ({ id: node.id, type: pageFields(node).type, title: pageFields(node).title });

function variablesEdited(changes: NodeChange[]): SemanticChange {
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
