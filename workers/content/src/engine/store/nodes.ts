import type { NodeKind, RecordOf, Row } from '@octavo/db';
import { getText } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import { getNodeKey } from '@octavo/merge';
import {
  ComputedSource,
  LinkTarget,
  PageCover,
  PageLayout,
  PageType,
  VariableName,
  Variables,
  VariableValue,
} from '@octavo/schema';
import * as z from 'zod';
import type { nodeRow } from './lineage.ts';

const flagSchema = z.literal(true).optional();

/** Maps addresses in a text to files of its source, if the path of the file cannot be derived from the address. */
const gitLinks = z.record(z.string(), z.string()).optional();

/** The stored fields of a page; absent fields have their defaults. */
export const PageFields = z.object({
  type: PageType,
  title: z.string(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  description: z.string().optional(),
  hidden: flagSchema,
  noIndex: flagSchema,
  noRobotsIndex: flagSchema,
  condition: z.string().optional(),
  layout: PageLayout.partial().optional(),
  cover: PageCover.optional(),
  variables: Variables.optional(),
  target: LinkTarget.optional(),
  computed: ComputedSource.optional(),
  gitPath: z.string().optional(),
  gitLinks,
  importedFrom: z.string().optional(),
});
export type PageFields = z.infer<typeof PageFields>;

/**
 * The fields of a file. `blob` is the key of its bytes in the bucket. A merge takes the fields that are derived from
 * the bytes together with `blob`.
 */
export const FileFields = z.object({
  name: z.string().min(1),
  contentType: z.string().min(1),
  size: z.number().int(),
  blob: z.string().min(1),
  /** The git blob id of the bytes. */
  oid: z.string(),
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  gitPath: z.string().optional(),
  importedFrom: z.string().optional(),
});
export type FileFields = z.infer<typeof FileFields>;

const hashSchema = z.string().nullable().optional();

const UndecidedText = z.object({
  base: hashSchema,
  main: hashSchema,
  incoming: hashSchema,
  oid: z.string().optional(),
  written: hashSchema,
  markerLength: z.number().int().optional(),
});

const UndecidedFields = z.record(
  z.string(),
  z.object({
    message: z.string(),
    base: z.json().optional(),
    text: UndecidedText.optional(),
    before: z.string().optional(),
  }),
);

/** The unresolved conflicts of a node. The row of a deleted node has no other data. */
const Decisions = z.object({ undecided: UndecidedFields.optional() });

const Data = Decisions.extend({
  createdAt: z.number(),
  updatedAt: z.number(),
  oid: z.string().optional(),
  documentBase: z.string().nullable().optional(),
  links: z.record(z.string(), z.string()).optional(),
  anchors: z.record(z.string(), z.string()).optional(),
});
type StoredData = z.infer<typeof Data> & Pick<Node, 'fields'>;

const dataSchemas = {
  page: Data.extend({ fields: PageFields }),
  'reusable-content': Data.extend({
    fields: z.object({
      title: z.string(),
      gitPath: z.string().optional(),
      gitLinks,
      importedFrom: z.string().optional(),
    }),
  }),
  variable: Data.extend({ fields: z.object({ name: VariableName, value: VariableValue }) }),
  file: Data.extend({ fields: FileFields }),
} as const satisfies Record<NodeKind, z.ZodType>;

/** A node's row in `versions`, without branch, `since` and `until`. */
interface VersionValues {
  kind: NodeKind;
  id: string;
  parent: string;
  position: string;
  slug: string;
  deleted: 0 | 1;
  data: string;
  document: string | null;
}

/**
 * Returns the row of a node. `undefined` becomes a tombstone with the unresolved conflicts. The fields are validated
 * here.
 * @throws ZodError
 */
export function toRow(
  { kind, id }: Pick<Node, 'kind' | 'id'>,
  node: Node | undefined,
  conflicts = node?.undecided,
): VersionValues {
  if (node === undefined) {
    const data = JSON.stringify(Decisions.parse({ undecided: conflicts }));
    return { kind, id, parent: '', position: '', slug: '', deleted: 1, data, document: null };
  }
  const { fields, oid, links, anchors, documentBase, createdAt, updatedAt } = node;
  const data = dataSchemas[kind].parse({
    fields,
    createdAt,
    updatedAt,
    oid,
    undecided: conflicts,
    documentBase,
    links,
    anchors,
  });
  const { parent, position, slug, document } = node;
  return { kind, id, parent, position, slug, deleted: 0, data: JSON.stringify(data), document };
}

/** Returns the data that `toRow` would write today for a stored row. @throws ZodError */
export const normalizeData = (storedData: unknown, row: Row): unknown =>
  row.deleted === 1 ? Decisions.parse(storedData) : dataSchemas[getText(row, 'kind') as NodeKind].parse(storedData);

/** The columns of `nodeRow` from which a node is built. */
export type NodeRow = Omit<RecordOf<typeof nodeRow>, 'since'>;

/**
 * Returns the node of a row; undefined for a tombstone. The data was validated by `toRow` and is not validated again.
 */
export function toNode({ deleted, data, kind, id, parent, position, slug, document }: NodeRow): Node | undefined {
  if (deleted) return undefined;
  const { fields, createdAt, updatedAt, oid, undecided, documentBase, links, anchors } = JSON.parse(data) as StoredData;
  return {
    kind,
    id,
    parent,
    position,
    slug,
    fields,
    document,
    oid,
    undecided,
    documentBase,
    links,
    anchors,
    createdAt,
    updatedAt,
  };
}

/** Returns the nodes of rows, without deleted ones. */
export const toNodes = (rows: NodeRow[]): Node[] => rows.flatMap((row) => toNode(row) ?? []);

/** Returns the nodes of rows by key, without deleted ones. */
export const toNodesByKey = (rows: NodeRow[]): Map<string, Node> =>
  new Map(toNodes(rows).map((node) => [getNodeKey(node), node]));

/** Returns the unresolved conflicts of a node, also of a deleted one. */
export const getUndecided = ({ data }: Pick<NodeRow, 'data'>): Undecided | undefined =>
  (JSON.parse(data) as z.infer<typeof Decisions>).undecided;

/** Returns the fields of a page with their type. They are validated when they are written. */
export const getPageFields = ({ fields }: Pick<Node, 'fields'>): PageFields => fields as PageFields;

export const getFileFields = ({ fields }: { fields: Node['fields'] | FileFields }): FileFields => fields as FileFields;

/** Returns page fields in the form in which a node stores them: without undefined fields. */
export const toNodeFields = (fields: PageFields): Node['fields'] =>
  JSON.parse(JSON.stringify(fields)) as Node['fields'];

/** Creates an empty node at the top level. */
export const createBlankNode = (kind: Node['kind'], id: string, now: number): Node => ({
  kind,
  id,
  parent: '',
  position: '',
  slug: '',
  fields: {},
  document: null,
  createdAt: now,
  updatedAt: now,
});
