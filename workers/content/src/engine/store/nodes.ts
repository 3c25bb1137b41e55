import type { NodeKind, RecordOf, Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';
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

const flag = z.literal(true).optional();

/** The addresses of a text that mean files of its source which their paths do not tell. */
const gitLinks = z.record(z.string(), z.string()).optional();

/** The fields of a page as they are stored; what is absent has its default. */
export const PageFields = z.object({
  type: PageType,
  title: z.string(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  description: z.string().optional(),
  hidden: flag,
  noIndex: flag,
  noRobotsIndex: flag,
  condition: z.string().optional(),
  layout: PageLayout.partial().optional(),
  cover: PageCover.optional(),
  variables: Variables.optional(),
  target: LinkTarget.optional(),
  computed: ComputedSource.optional(),
  gitPath: z.string().optional(),
  gitLinks,
});
export type PageFields = z.infer<typeof PageFields>;

/** The fields of a file. Its bytes are the object `blob` of the bucket; what follows from them goes with it in a merge. */
export const FileFields = z.object({
  name: z.string().min(1),
  contentType: z.string().min(1),
  size: z.number().int(),
  blob: z.string().min(1),
  /** The id that git gives a blob with these bytes. */
  oid: z.string(),
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  gitPath: z.string().optional(),
});
export type FileFields = z.infer<typeof FileFields>;

const hash = z.string().nullable().optional();

const UndecidedText = z.object({
  base: hash,
  main: hash,
  incoming: hash,
  oid: z.string().optional(),
  written: hash,
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

/** What is left to be decided of a node: all that the row of a deleted one may hold. */
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

const dataOf = {
  page: Data.extend({ fields: PageFields }),
  'reusable-content': Data.extend({
    fields: z.object({ title: z.string(), gitPath: z.string().optional(), gitLinks }),
  }),
  variable: Data.extend({ fields: z.object({ name: VariableName, value: VariableValue }) }),
  file: Data.extend({ fields: FileFields }),
} as const satisfies Record<NodeKind, z.ZodType>;

/** A node's row in `versions`, but for its branch and its time. */
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

/** The row of a node; `undefined` becomes a tombstone, with what is undecided of it. The fields are checked on the way in. */
export function toRow(
  { kind, id }: Pick<Node, 'kind' | 'id'>,
  node: Node | undefined,
  undecided = node?.undecided,
): VersionValues {
  if (node === undefined) {
    const data = JSON.stringify(Decisions.parse({ undecided }));
    return { kind, id, parent: '', position: '', slug: '', deleted: 1, data, document: null };
  }
  const { fields, oid, links, anchors, documentBase, createdAt, updatedAt } = node;
  const data = dataOf[kind].parse({ fields, createdAt, updatedAt, oid, undecided, documentBase, links, anchors });
  const { parent, position, slug, document } = node;
  return { kind, id, parent, position, slug, deleted: 0, data: JSON.stringify(data), document };
}

/** What `toRow` would write today for the data of a row. @throws ZodError */
export const asWritten = (stored: unknown, row: Row): unknown =>
  row.deleted === 1 ? Decisions.parse(stored) : dataOf[text(row, 'kind') as NodeKind].parse(stored);

/** A row of `nodeRow`, as far as a node is made from it. */
export type NodeRow = Omit<RecordOf<typeof nodeRow>, 'since'>;

/** The node of a row; a tombstone is `undefined`. The data is as `toRow` wrote it: nothing of it is checked again. */
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

/** The nodes of rows, without those that are deleted. */
export const nodesOf = (rows: NodeRow[]): Node[] => rows.flatMap((row) => toNode(row) ?? []);

/** The nodes of rows by their keys, without those that are deleted. */
export const nodesByKey = (rows: NodeRow[]): Map<string, Node> =>
  new Map(nodesOf(rows).map((node) => [nodeKey(node), node]));

/** What is left to be decided of a node, deleted ones too. */
export const undecidedOf = ({ data }: Pick<NodeRow, 'data'>): Undecided | undefined =>
  (JSON.parse(data) as z.infer<typeof Decisions>).undecided;

/** The fields of a page, in their type: they were checked when they were written, or will be. */
export const pageFields = ({ fields }: Pick<Node, 'fields'>): PageFields => fields as PageFields;

export const fileFields = ({ fields }: { fields: Node['fields'] | FileFields }): FileFields => fields as FileFields;

/** Page fields as a node holds them: what is undefined is absent. */
export const nodeFields = (fields: PageFields): Node['fields'] => JSON.parse(JSON.stringify(fields)) as Node['fields'];

/** A node of the top level that says nothing yet. */
export const blankNode = (kind: Node['kind'], id: string, now: number): Node => ({
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
