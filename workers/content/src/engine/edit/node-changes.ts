import { slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { AppliedChange, GitSource, PageMetadata, Variables } from '@octavo/schema';
import { maxVariables, newId, specOf } from '@octavo/schema';
import { newFile, withBytes } from '../blobs/store-blobs.ts';
import type { PageFields } from '../store/nodes.ts';
import { blankNode, nodeFields, pageFields } from '../store/nodes.ts';
import type { PreparedDocument } from './documents.ts';
import { insertedTitle, newlySaid } from './documents.ts';
import type { Apply, ChangeContext } from './tree.ts';
import { claimSlug, clash, decided, documentState, fault, parentFor, positionFor, upFrom } from './tree.ts';

export const touched = (page: string, { urlOf }: ChangeContext) => ({
  object: 'page' as const,
  id: page,
  urls: { location: urlOf(page) },
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
  const id = newId('page');
  if (page.ref !== undefined && !tree.name('page', page.ref, id)) throw fault('ref', 'is used twice');
  const node: Node = {
    kind: 'page',
    id,
    parent: page.parent,
    position: positionFor(tree, page.parent, { at: page.at }),
    slug: page.slug,
    fields: nodeFields(page.fields),
    document: page.document?.hash ?? null,
    oid: page.document?.oid,
    createdAt: tree.now,
    updatedAt: tree.now,
  };
  tree.put(node, {
    object: 'created_page',
    page: touched(id, context),
    ...(page.ref === undefined ? {} : { ref: page.ref }),
  });
}

export const insertPage: Apply<'insert_page'> = (change, context) => {
  const { tree, prepared } = context;
  const document = prepared.document;
  const parent = parentFor(tree, change.into);
  const title = insertedTitle(change.title, document);
  const asked = document?.slug === undefined ? change.slug : undefined;
  const slug =
    asked === undefined
      ? tree.freeSlug(document?.slug ?? slugify(title), parent, '')
      : claimSlug(tree, asked, { parent, id: '' });
  const fields = mergeMetadata({ type: 'document', title }, { ...change, title: undefined }, document);
  addPage({ fields, parent, at: change.at, slug, document: document?.stored ?? null, ref: change.ref }, context);
};

export const insertGroup: Apply<'insert_group'> = (change, context) => {
  const slug =
    change.slug === undefined
      ? context.tree.freeSlug(slugify(change.title), '', '')
      : claimSlug(context.tree, change.slug, { parent: '', id: '' });
  const fields = mergeMetadata({ type: 'group', title: change.title }, { ...change, title: undefined }, undefined);
  addPage({ fields, parent: '', at: change.at, slug, ref: change.ref }, context);
};

export const insertLink: Apply<'insert_link'> = (change, context) => {
  const parent = parentFor(context.tree, change.into);
  const fields = mergeMetadata(
    { type: 'link', title: change.title, target: change.target },
    { ...change, title: undefined },
    undefined,
  );
  addPage({ fields, parent, at: change.at, slug: '', ref: change.ref }, context);
};

export const insertComputed: Apply<'insert_computed'> = (change, context) => {
  const parent = parentFor(context.tree, change.into);
  const spec = specOf(change.computed);
  if (spec !== undefined && !context.tree.content.specs.has(spec))
    throw fault('computed.dependencies.spec.ref.spec', 'names no OpenAPI specification of the organization');
  const fields = mergeMetadata(
    { type: 'computed', title: change.title, computed: change.computed },
    { ...change, title: undefined },
    undefined,
  );
  addPage({ fields, parent, at: change.at, slug: '', ref: change.ref }, context);
};

/** Refuses what a page of this type has not. */
function refuseForeign(type: PageFields['type'], change: Parameters<typeof updatePage>[0]): void {
  const ofDocuments = (['document', 'cover', 'layout', 'variables'] as const).find((key) => change[key] !== undefined);
  if (ofDocuments !== undefined && type !== 'document')
    throw fault(ofDocuments, `belongs to a page of type document, this is a ${type}`);
  if (type === 'group' && change.into != null) throw fault('into', 'a group stands at the top level only');
  if ((type === 'link' || type === 'computed') && change.slug !== undefined)
    throw fault('slug', `a ${type} page has none`);
}

export const updatePage: Apply<'update_page'> = (change, context) => {
  const { tree, prepared } = context;
  const found = tree.get('page', change.page);
  const document = prepared.document && newlySaidOf(context, found, prepared.document, change);
  const page = decided(found, fieldsNamedBy(change, document));
  refuseForeign(pageFields(page).type, change);
  const parent = change.into === undefined ? page.parent : parentFor(tree, change.into, page);
  const moves = parent !== page.parent;
  const placed = moves || change.at !== undefined;
  const position = placed ? positionFor(tree, parent, { at: change.at, moving: page.id }) : page.position;
  const slug = updatedSlug(context, page, { parent, asked: change.slug, said: document?.slug });
  const fields = nodeFields(mergeMetadata(pageFields(page), change, document));
  const state = document === undefined ? {} : documentState(page, document.stored);
  tree.put(
    { ...page, parent, position, slug, fields, ...state },
    { object: 'updated_page', page: touched(page.id, context) },
  );
};

function newlySaidOf(
  context: ChangeContext,
  page: Node,
  document: PreparedDocument,
  asked: Partial<Parameters<typeof updatePage>[0]>,
): PreparedDocument {
  const { document: open, title: openTitle } = page.undecided ?? {};
  const said = (hash: string | undefined) =>
    hash === undefined ? undefined : context.saidBy(hash, open?.text?.markerLength);
  return newlySaid(
    { ...document, ...said(document.stored?.hash) },
    {
      former: said(page.document ?? undefined),
      fields: pageFields(page),
      asked,
      isUndecided: openTitle !== undefined,
    },
  );
}

function updatedSlug(
  { tree }: ChangeContext,
  page: Node,
  { parent, asked, said }: { parent: string; asked: string | undefined; said: string | undefined },
): string {
  if (said !== undefined) return tree.freeSlug(said, parent, page.id);
  if (asked !== undefined) return claimSlug(tree, asked, { parent, id: page.id });
  return parent === page.parent || page.slug === '' ? page.slug : tree.freeSlug(page.slug, parent, page.id);
}

export const deletePage: Apply<'delete_page'> = (change, { tree }) => {
  for (const page of tree.withAllBelow(tree.get('page', change.page))) {
    tree.delete(page, { object: 'deleted_page', page: page.id } satisfies AppliedChange);
  }
};

export const revertPage: Apply<'revert_page'> = (change, context) => {
  const { tree, index } = context;
  if (!tree.content.reverts.has(index)) {
    throw fault(
      'revision',
      change.revision === undefined ? 'is needed in live content' : 'names no revision of this space',
    );
  }
  if (change.block !== undefined) {
    revertBlocksOf(change.page, context);
    return;
  }
  const target = tree.content.reverts.get(index);
  if (target === undefined) {
    deletePage({ operation: 'delete_page', page: change.page }, context);
    return;
  }
  const parent = tree.find('page', target.parent);
  if (target.parent !== '' && parent === undefined) throw clash('page', 'the page that it stood under is gone');
  const above = parent === undefined ? [] : upFrom(tree, parent);
  if (above.includes(target.id)) throw clash('page', 'the page that it stood under is below it now');
  if (above.length >= maxPageDepth) throw clash('page', 'the page that it stood under is nested too deep by now');
  const slug = target.slug === '' ? '' : tree.freeSlug(target.slug, target.parent, target.id);
  tree.put({ ...target, slug }, { object: 'updated_page', page: touched(target.id, context) });
};

/** The document was made before the batch, from what the page held then. */
function revertBlocksOf(id: string, context: ChangeContext): void {
  const { tree, prepared } = context;
  const page = tree.get('page', id);
  if (prepared.document === undefined) throw fault('block', 'the page has no blocks to go back to');
  const { title } = newlySaidOf(context, page, prepared.document, {});
  const state = documentState(page, prepared.document.stored);
  const fields = title === undefined ? page.fields : { ...page.fields, title };
  tree.put({ ...page, fields, ...state }, { object: 'updated_page', page: touched(page.id, context) });
}

export const setVariables: Apply<'set_variables'> = (change, { tree }) => {
  for (const [name, value] of Object.entries(change.variables)) {
    const variable = tree.find('variable', name);
    if (value === null) {
      if (variable !== undefined) tree.delete(variable, { object: 'updated_variables' });
      continue;
    }
    const base = variable === undefined ? blankNode('variable', name, tree.now) : decided(variable, ['value']);
    tree.put({ ...base, fields: { name, value } }, { object: 'updated_variables' });
  }
};

export const insertReusableContent: Apply<'insert_reusable_content'> = (change, { tree, prepared }) => {
  const id = newId('reusableContent');
  const { ref } = change;
  if (ref !== undefined && !tree.name('reusable-content', ref, id)) throw fault('ref', 'is used twice');
  const stored = prepared.document?.stored;
  tree.put(
    {
      ...blankNode('reusable-content', id, tree.now),
      fields: withGit({ title: change.title }, change.git),
      document: stored?.hash ?? null,
      oid: stored?.oid,
    },
    { object: 'created_reusable_content', reusableContent: id, ...(ref === undefined ? {} : { ref }) },
  );
};

export const updateReusableContent: Apply<'update_reusable_content'> = (change, { tree, prepared }) => {
  const document = prepared.document;
  const node = decided(tree.get('reusable-content', change.reusableContent), fieldsNamedBy(change, document));
  const state = document === undefined ? {} : documentState(node, document.stored);
  const title = change.title === undefined ? {} : { title: change.title };
  const fields = withGit({ ...node.fields, ...title }, change.git) as Node['fields'];
  tree.put({ ...node, fields, ...state }, { object: 'updated_reusable_content', reusableContent: node.id });
};

export const deleteReusableContent: Apply<'delete_reusable_content'> = (change, { tree }) => {
  const node = tree.get('reusable-content', change.reusableContent);
  tree.delete(node, { object: 'deleted_reusable_content', reusableContent: node.id });
};

export const insertFiles: Apply<'insert_files'> = (change, { tree, prepared }) => {
  for (const [index, { name, blob }] of (prepared.files ?? []).entries()) {
    const { ref, git } = change.files[index] ?? {};
    const file = newFile(blob, { name, gitPath: git?.path, now: tree.now });
    if (ref !== undefined && !tree.name('file', ref, file.id)) throw fault(`files.${index}.ref`, 'is used twice');
    tree.put(file, { object: 'created_file', file: file.id, ...(ref === undefined ? {} : { ref }) });
  }
};

export const updateFile: Apply<'update_file'> = (change, { tree, prepared }) => {
  const [bytes] = prepared.files ?? [];
  const { name, git } = change;
  const given = { bytes, name, gitPath: git?.path };
  const named = Object.entries(given).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const file = decided(tree.get('file', change.file), named);
  const kept = { ...file.fields, ...(name !== undefined && { name }), ...(git !== undefined && { gitPath: git.path }) };
  const fields = bytes === undefined ? kept : withBytes(kept, bytes.blob);
  tree.put({ ...file, fields }, { object: 'updated_file', file: file.id });
};

export const deleteFile: Apply<'delete_file'> = (change, { tree }) => {
  const file = tree.get('file', change.file);
  tree.delete(file, { object: 'deleted_file', file: file.id });
};

type Metadata = { [Key in keyof PageMetadata]?: PageMetadata[Key] | undefined } & {
  git?: GitSource | undefined;
};

/** The fields of a page after a change; an empty text removes, and what the document's frontmatter says wins. */
function mergeMetadata(fields: PageFields, change: Metadata, document: PreparedDocument | undefined): PageFields {
  const merged: Record<string, unknown> = { ...withGit(fields, change.git) };
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

/** The fields of a node whose text is told to come from this source, in place of all that was told of one before. */
function withGit<Fields extends object>(fields: Fields, git: GitSource | undefined) {
  const { gitPath: path, gitLinks: links, ...others } = fields as Fields & SourceFields;
  if (git !== undefined) return { ...others, ...sourceFields(git) };
  return {
    ...others,
    ...(path === undefined ? {} : { gitPath: path }),
    ...(links === undefined ? {} : { gitLinks: links }),
  };
}

type SourceFields = { gitPath?: string; gitLinks?: Record<string, string> };

const sourceFields = ({ path, links = {} }: GitSource): SourceFields => ({
  gitPath: path,
  ...(Object.keys(links).length === 0 ? {} : { gitLinks: links }),
});

const fieldsOfKey: Record<string, string[]> = {
  into: ['place', 'parent'],
  at: ['place', 'parent'],
  git: ['gitPath', 'gitLinks'],
  // Whether a text decides its conflicts depends on what it holds.
  document: [],
  // A change sets parts of these: it says nothing of what the other side set.
  layout: [],
  variables: [],
};

/** The fields that a change of a page sets, in itself or in the frontmatter of its document. */
function fieldsNamedBy(change: object, document: PreparedDocument | undefined): string[] {
  const keys = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const { title, slug, fields = {}, removed = [] } = document ?? {};
  return [
    ...keys.flatMap((key) => fieldsOfKey[key] ?? [key]),
    ...(title === undefined ? [] : ['title']),
    ...(slug === undefined ? [] : ['slug']),
    ...Object.keys(fields),
    ...removed,
  ];
}

/** The variables of a page after a change; null removes one, and a page without any has no field for them. */
function mergeVariables(before: Variables = {}, change: NonNullable<Metadata['variables']>): Variables | undefined {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  if (merged.length > maxVariables) throw fault('variables', `would be more than ${maxVariables} on one page`);
  return merged.length === 0 ? undefined : (Object.fromEntries(merged) as Variables);
}
