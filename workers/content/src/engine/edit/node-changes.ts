import { slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { AppliedChange, GitSource, PageMetadata, RevisionId, Variables } from '@octavo/schema';
import { createId, getSpecificationSlug, maxVariables } from '@octavo/schema';
import { createFile, replaceBytes } from '../blobs/store-blobs.ts';
import type { PageFields } from '../store/nodes.ts';
import { createBlankNode, getPageFields, toNodeFields } from '../store/nodes.ts';
import type { PreparedDocument } from './documents.ts';
import { getInsertedTitle, pickNewMetadata } from './documents.ts';
import type { Apply, ChangeContext } from './tree.ts';
import {
  claimSlug,
  createFieldConflict,
  createFieldError,
  getChainIds,
  getPosition,
  markDecided,
  resolveParent,
  toDocumentState,
} from './tree.ts';

export const presentTouchedPage = (page: string, { getUrl }: ChangeContext) => ({
  object: 'page' as const,
  id: page,
  urls: { location: getUrl(page) },
});

interface NewPage {
  fields: PageFields;
  parent: string;
  at: number | undefined;
  slug: string;
  document?: PreparedDocument['stored'];
  ref: string | undefined;
}

function addPage(page: NewPage, context: ChangeContext): void {
  const { tree } = context;
  const id = createId('page');
  if (page.ref !== undefined && !tree.assignRef('page', page.ref, id))
    throw createFieldError('ref', 'must be unique in the batch');
  const node: Node = {
    kind: 'page',
    id,
    parent: page.parent,
    position: getPosition(tree, page.parent, { at: page.at }),
    slug: page.slug,
    fields: toNodeFields(page.fields),
    document: page.document?.hash ?? null,
    oid: page.document?.oid,
    createdAt: tree.now,
    updatedAt: tree.now,
  };
  tree.put(node, {
    object: 'created_page',
    page: presentTouchedPage(id, context),
    ...(page.ref === undefined ? {} : { ref: page.ref }),
  });
}

export const insertPage: Apply<'insert_page'> = (change, context) => {
  const { tree, prepared } = context;
  const document = prepared.document;
  const parent = resolveParent(tree, change.into);
  const title = getInsertedTitle(change.title, document);
  const requested = document?.slug === undefined ? change.slug : undefined;
  const slug =
    requested === undefined
      ? tree.getFreeSlug(document?.slug ?? slugify(title), parent, '')
      : claimSlug(tree, requested, { parent, id: '' });
  const fields = mergeMetadata({ type: 'document', title }, { ...change, title: undefined }, document);
  addPage({ fields, parent, at: change.at, slug, document: document?.stored ?? null, ref: change.ref }, context);
};

export const insertGroup: Apply<'insert_group'> = (change, context) => {
  const slug =
    change.slug === undefined
      ? context.tree.getFreeSlug(slugify(change.title), '', '')
      : claimSlug(context.tree, change.slug, { parent: '', id: '' });
  const fields = mergeMetadata({ type: 'group', title: change.title }, { ...change, title: undefined }, undefined);
  addPage({ fields, parent: '', at: change.at, slug, ref: change.ref }, context);
};

export const insertLink: Apply<'insert_link'> = (change, context) => {
  const parent = resolveParent(context.tree, change.into);
  const fields = mergeMetadata(
    { type: 'link', title: change.title, target: change.target },
    { ...change, title: undefined },
    undefined,
  );
  addPage({ fields, parent, at: change.at, slug: '', ref: change.ref }, context);
};

export const insertComputed: Apply<'insert_computed'> = (change, context) => {
  const parent = resolveParent(context.tree, change.into);
  const spec = getSpecificationSlug(change.computed);
  if (spec !== undefined && !context.tree.content.specs.has(spec))
    throw createFieldError(
      'computed.dependencies.spec.ref.spec',
      'must be the slug of an OpenAPI specification of the organization',
    );
  const fields = mergeMetadata(
    { type: 'computed', title: change.title, computed: change.computed },
    { ...change, title: undefined },
    undefined,
  );
  addPage({ fields, parent, at: change.at, slug: '', ref: change.ref }, context);
};

/** Rejects fields that a page of this type does not have. */
function rejectForeignFields(type: PageFields['type'], change: Parameters<typeof updatePage>[0]): void {
  const documentField = (['document', 'cover', 'layout', 'variables'] as const).find(
    (key) => change[key] !== undefined,
  );
  if (documentField !== undefined && type !== 'document')
    throw createFieldError(documentField, `is only allowed for a page of type document, not ${type}`);
  if (type === 'group' && change.into != null)
    throw createFieldError('into', 'must be left out, because a group must be at the top level');
  if ((type === 'link' || type === 'computed') && change.slug !== undefined)
    throw createFieldError('slug', `is not allowed for a page of type ${type}`);
}

export const updatePage: Apply<'update_page'> = (change, context) => {
  const { tree, prepared } = context;
  const original = tree.get('page', change.page);
  const document = prepared.document && readNewMetadata(context, original, prepared.document, change);
  const page = markDecided(original, getChangedFields(change, document));
  rejectForeignFields(getPageFields(page).type, change);
  const parent = change.into === undefined ? page.parent : resolveParent(tree, change.into, page);
  const moves = parent !== page.parent;
  const isRepositioned = moves || change.at !== undefined;
  const position = isRepositioned ? getPosition(tree, parent, { at: change.at, movedId: page.id }) : page.position;
  const slug = getUpdatedSlug(context, page, { parent, requestedSlug: change.slug, frontmatterSlug: document?.slug });
  const fields = toNodeFields(mergeMetadata(getPageFields(page), change, document));
  const state = document === undefined ? {} : toDocumentState(page, document.stored);
  tree.put(
    { ...page, parent, position, slug, fields, ...state },
    { object: 'updated_page', page: presentTouchedPage(page.id, context) },
  );
};

function readNewMetadata(
  context: ChangeContext,
  page: Node,
  document: PreparedDocument,
  requested: Partial<Parameters<typeof updatePage>[0]>,
): PreparedDocument {
  const { document: open, title: openTitle } = page.undecided ?? {};
  const readText = (hash: string | undefined) =>
    hash === undefined ? undefined : context.readMetadata(hash, open?.text?.markerLength);
  return pickNewMetadata(
    { ...document, ...readText(document.stored?.hash) },
    {
      formerMetadata: readText(page.document ?? undefined),
      fields: getPageFields(page),
      requested,
      isUndecided: openTitle !== undefined,
    },
  );
}

function getUpdatedSlug(
  { tree }: ChangeContext,
  page: Node,
  {
    parent,
    requestedSlug,
    frontmatterSlug,
  }: { parent: string; requestedSlug: string | undefined; frontmatterSlug: string | undefined },
): string {
  if (frontmatterSlug !== undefined) return tree.getFreeSlug(frontmatterSlug, parent, page.id);
  if (requestedSlug !== undefined) return claimSlug(tree, requestedSlug, { parent, id: page.id });
  return parent === page.parent || page.slug === '' ? page.slug : tree.getFreeSlug(page.slug, parent, page.id);
}

export const deletePage: Apply<'delete_page'> = (change, { tree }) => {
  for (const page of tree.listWithDescendants(tree.get('page', change.page))) {
    tree.delete(page, { object: 'deleted_page', page: page.id } satisfies AppliedChange);
  }
};

/** @throws ApiError invalid if the revision to revert to is missing or unknown */
function requireRevision({ revision }: { revision?: RevisionId | undefined }, { tree, index }: ChangeContext): void {
  if (!tree.content.reverts.has(index))
    throw createFieldError(
      'revision',
      revision === undefined ? 'is required in live content' : 'must be a revision of this space',
    );
}

export const revertPage: Apply<'revert_page'> = (change, context) => {
  const { tree, index } = context;
  requireRevision(change, context);
  if (change.block !== undefined) {
    applyBlockRevert(change.page, context);
    return;
  }
  const target = tree.content.reverts.get(index);
  if (target === undefined) {
    deletePage({ operation: 'delete_page', page: change.page }, context);
    return;
  }
  const parent = tree.find('page', target.parent);
  if (target.parent !== '' && parent === undefined)
    throw createFieldConflict('page', 'cannot be reverted because its former parent was deleted');
  const ancestorIds = parent === undefined ? [] : getChainIds(tree, parent);
  if (ancestorIds.includes(target.id))
    throw createFieldConflict('page', 'cannot be reverted because its former parent is now one of its subpages');
  if (ancestorIds.length >= maxPageDepth)
    throw createFieldConflict('page', 'cannot be reverted because its former parent is now nested too deep');
  const slug = target.slug === '' ? '' : tree.getFreeSlug(target.slug, target.parent, target.id);
  tree.put({ ...target, slug }, { object: 'updated_page', page: presentTouchedPage(target.id, context) });
};

/** The document was created before the batch was applied, from the page's content at that time. */
function applyBlockRevert(id: string, context: ChangeContext): void {
  const { tree, prepared } = context;
  const page = tree.get('page', id);
  if (prepared.document === undefined) throw createFieldError('block', 'has no former blocks to revert to');
  const { title } = readNewMetadata(context, page, prepared.document, {});
  const state = toDocumentState(page, prepared.document.stored);
  const fields = title === undefined ? page.fields : { ...page.fields, title };
  tree.put({ ...page, fields, ...state }, { object: 'updated_page', page: presentTouchedPage(page.id, context) });
}

export const setVariables: Apply<'set_variables'> = (change, { tree }) => {
  for (const [name, value] of Object.entries(change.variables)) {
    const variable = tree.find('variable', name);
    if (value === null) {
      if (variable !== undefined) tree.delete(variable, { object: 'updated_variables' });
      continue;
    }
    const base =
      variable === undefined ? createBlankNode('variable', name, tree.now) : markDecided(variable, ['value']);
    tree.put({ ...base, fields: { name, value } }, { object: 'updated_variables' });
  }
};

export const insertReusableContent: Apply<'insert_reusable_content'> = (change, { tree, prepared }) => {
  const id = createId('reusableContent');
  const { ref } = change;
  if (ref !== undefined && !tree.assignRef('reusable-content', ref, id))
    throw createFieldError('ref', 'must be unique in the batch');
  const storedText = prepared.document?.stored;
  tree.put(
    {
      ...createBlankNode('reusable-content', id, tree.now),
      fields: addGit({ title: change.title, ...pickSource(change) }, change.git) as Node['fields'],
      document: storedText?.hash ?? null,
      oid: storedText?.oid,
    },
    { object: 'created_reusable_content', reusableContent: id, ...(ref === undefined ? {} : { ref }) },
  );
};

export const updateReusableContent: Apply<'update_reusable_content'> = (change, { tree, prepared }) => {
  const document = prepared.document;
  const node = markDecided(tree.get('reusable-content', change.reusableContent), getChangedFields(change, document));
  const state = document === undefined ? {} : toDocumentState(node, document.stored);
  const title = change.title === undefined ? {} : { title: change.title };
  const fields = addGit({ ...node.fields, ...title }, change.git) as Node['fields'];
  tree.put({ ...node, fields, ...state }, { object: 'updated_reusable_content', reusableContent: node.id });
};

export const deleteReusableContent: Apply<'delete_reusable_content'> = (change, { tree }) => {
  const node = tree.get('reusable-content', change.reusableContent);
  tree.delete(node, { object: 'deleted_reusable_content', reusableContent: node.id });
};

/** A file that comes back to the source path of a deleted file gets its ID, so that links to it work again. */
export const insertFiles: Apply<'insert_files'> = (change, { tree, prepared }) => {
  for (const [index, { name, blob }] of (prepared.files ?? []).entries()) {
    const { ref, git, importedFrom } = change.files[index] ?? {};
    const former = tree.content.formerFiles.get(git?.path ?? '');
    const isFree = former !== undefined && tree.find('file', former) === undefined;
    const id = isFree ? former : undefined;
    const file = createFile(blob, { id, name, gitPath: git?.path, importedFrom, now: tree.now });
    if (ref !== undefined && !tree.assignRef('file', ref, file.id))
      throw createFieldError(`files.${index}.ref`, 'must be unique in the batch');
    tree.put(file, { object: 'created_file', file: file.id, ...(ref === undefined ? {} : { ref }) });
  }
};

export const updateFile: Apply<'update_file'> = (change, { tree, prepared }) => {
  const [bytes] = prepared.files ?? [];
  const { name, git } = change;
  const changedFields = { bytes, name, gitPath: git?.path };
  const fieldNames = Object.entries(changedFields).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const file = markDecided(tree.get('file', change.file), fieldNames);
  const keptFields = {
    ...file.fields,
    ...(name !== undefined && { name }),
    ...(git !== undefined && { gitPath: git.path }),
  };
  const fields = bytes === undefined ? keptFields : replaceBytes(keptFields, bytes.blob);
  tree.put({ ...file, fields }, { object: 'updated_file', file: file.id });
};

export const deleteFile: Apply<'delete_file'> = (change, { tree }) => {
  const file = tree.get('file', change.file);
  tree.delete(file, { object: 'deleted_file', file: file.id });
};

export const revertFile: Apply<'revert_file'> = (change, context) => {
  const { tree, index } = context;
  requireRevision(change, context);
  const target = tree.content.reverts.get(index);
  if (target === undefined) deleteFile({ operation: 'delete_file', file: change.file }, context);
  else tree.put(target, { object: 'updated_file', file: target.id });
};

type Metadata = { [Key in keyof PageMetadata]?: PageMetadata[Key] | undefined } & {
  git?: GitSource | undefined;
  importedFrom?: string | undefined;
};

/**
 * Merges a change into the fields of a page. An empty text clears a field; the document's frontmatter takes precedence.
 */
function mergeMetadata(fields: PageFields, change: Metadata, document: PreparedDocument | undefined): PageFields {
  const merged: Record<string, unknown> = { ...addGit(fields, change.git), ...pickSource(change) };
  for (const key of ['title', 'emoji', 'icon', 'description', 'condition'] as const) {
    const value = change[key];
    if (value === '') delete merged[key];
    else if (value !== undefined) merged[key] = value;
  }
  for (const key of ['hidden', 'noIndex', 'noRobotsIndex'] as const) {
    if (change[key] === true) merged[key] = true;
    else if (change[key] === false) delete merged[key];
  }
  if (change.cover === null) delete merged.cover;
  else if (change.cover !== undefined) merged.cover = change.cover;
  if (change.layout !== undefined) merged.layout = { ...fields.layout, ...change.layout };
  if (change.variables !== undefined) merged.variables = mergeVariables(fields.variables, change.variables);
  for (const key of document?.removed ?? []) delete merged[key];
  Object.assign(merged, document?.fields, document?.title === undefined ? {} : { title: document.title });
  return merged as PageFields;
}

const pickSource = ({ importedFrom }: Pick<Metadata, 'importedFrom'>): Pick<PageFields, 'importedFrom'> =>
  importedFrom === undefined ? {} : { importedFrom };

/** Returns the fields with a new git source, which replaces the previous one entirely. */
function addGit<Fields extends object>(fields: Fields, git: GitSource | undefined) {
  const { gitPath: path, gitLinks: links, ...others } = fields as Fields & SourceFields;
  if (git !== undefined) return { ...others, ...toSourceFields(git) };
  return {
    ...others,
    ...(path === undefined ? {} : { gitPath: path }),
    ...(links === undefined ? {} : { gitLinks: links }),
  };
}

type SourceFields = { gitPath?: string; gitLinks?: Record<string, string> };

const toSourceFields = ({ path, links = {} }: GitSource): SourceFields => ({
  gitPath: path,
  ...(Object.keys(links).length === 0 ? {} : { gitLinks: links }),
});

const fieldsByKey: Record<string, string[]> = {
  into: ['place', 'parent'],
  at: ['place', 'parent'],
  git: ['gitPath', 'gitLinks'],
  // A new text resolves conflicts of the document only if its content does, so setting the field is not enough.
  document: [],
  // A change may set only parts of these fields, so it does not resolve their conflicts.
  layout: [],
  variables: [],
};

/** Returns the fields that a change of a page sets, directly or in the frontmatter of its document. */
function getChangedFields(change: object, document: PreparedDocument | undefined): string[] {
  const keys = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const { title, slug, fields = {}, removed = [] } = document ?? {};
  return [
    ...keys.flatMap((key) => fieldsByKey[key] ?? [key]),
    ...(title === undefined ? [] : ['title']),
    ...(slug === undefined ? [] : ['slug']),
    ...Object.keys(fields),
    ...removed,
  ];
}

/** Merges the variables of a page; null removes a variable, and a page without any has no field for them. */
function mergeVariables(before: Variables = {}, change: NonNullable<Metadata['variables']>): Variables | undefined {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  if (merged.length > maxVariables)
    throw createFieldError('variables', `must have at most ${maxVariables} variables in total`);
  return merged.length === 0 ? undefined : (Object.fromEntries(merged) as Variables);
}
