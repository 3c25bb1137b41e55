import type { NodeKind, Row } from '@octavo/db';
import { optionalText, text } from '@octavo/db';
import type { Json, Node, Place } from '@octavo/document';
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

const flag = z.literal(true).optional();

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

const fieldsOf = {
  page: PageFields,
  'reusable-content': z.object({ title: z.string(), gitPath: z.string().optional() }),
  variable: z.object({ name: VariableName, value: VariableValue }),
  file: FileFields,
} as const satisfies Record<NodeKind, z.ZodType>;

const Data = z.object({
  fields: z.record(z.string(), z.json()),
  createdAt: z.number(),
  updatedAt: z.number(),
  oid: z.string().optional(),
  conflicted: z.literal(true).optional(),
  links: z.record(z.string(), z.string()).optional(),
});

/** A node's row in `versions`, but for its branch and its time. */
export interface VersionValues {
  kind: NodeKind;
  id: string;
  parent: string;
  position: string;
  slug: string;
  deleted: 0 | 1;
  data: string;
  document: string | null;
}

/** The row of a node; `undefined` becomes a tombstone. The fields are checked on the way in. */
export function toRow(key: Pick<Node, 'kind' | 'id'>, node: Node | undefined): VersionValues {
  const { kind, id } = key;
  if (node === undefined)
    return { kind, id, parent: '', position: '', slug: '', deleted: 1, data: '{}', document: null };
  const { oid, conflicted, links, createdAt, updatedAt } = node;
  const fields = fieldsOf[kind].parse(node.fields);
  const data = Data.parse({ fields, createdAt, updatedAt, oid, conflicted: conflicted || undefined, links });
  const { parent, position, slug, document } = node;
  return { kind, id, parent, position, slug, deleted: 0, data: JSON.stringify(data), document };
}

/** The node of a row; a tombstone is `undefined`. The data is checked on the way out. */
export function toNode(row: Row): Node | undefined {
  if (row.deleted === 1) return undefined;
  const { fields, createdAt, updatedAt, oid, conflicted, links } = Data.parse(JSON.parse(text(row, 'data')));
  return {
    kind: text(row, 'kind') as NodeKind,
    id: text(row, 'id'),
    parent: text(row, 'parent'),
    position: text(row, 'position'),
    slug: text(row, 'slug'),
    fields: fields as Record<string, Json>,
    document: optionalText(row, 'document'),
    oid,
    conflicted,
    links,
    createdAt,
    updatedAt,
  };
}

export const pageFields = (node: Node): PageFields => PageFields.parse(node.fields);

export const fileFields = ({ fields }: { fields: Node['fields'] | FileFields }): FileFields => FileFields.parse(fields);

/** Page fields as a node holds them: what is undefined is absent. */
export const nodeFields = (fields: PageFields): Node['fields'] => JSON.parse(JSON.stringify(fields)) as Node['fields'];

/** Rows of id, parent, slug. */
export const toPlaces = (rows: Row[]): Place[] =>
  rows.map((row) => ({ id: text(row, 'id'), parent: text(row, 'parent'), slug: text(row, 'slug') }));
