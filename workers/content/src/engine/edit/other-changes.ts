import type { Node } from '@octavo/merge';
import { newId } from '@octavo/schema';
import { newFile, withBytes } from '../blobs/store-blobs.ts';
import { blankNode } from '../store/nodes.ts';
import type { Apply } from './change.ts';
import { decided, documentState, fault } from './change.ts';
import { fieldsNamedBy, withGit } from './metadata.ts';

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
