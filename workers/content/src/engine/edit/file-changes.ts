import { newFile, withBytes } from '../blobs/new-file.ts';
import type { Apply } from './apply-changes.ts';
import { decided } from './decided.ts';
import { fault } from './faults.ts';

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
  const named = [...(bytes === undefined ? [] : ['bytes']), ...(change.name === undefined ? [] : ['name'])];
  const file = decided(tree.get('file', change.file), named);
  const kept = bytes === undefined ? file.fields : withBytes(file.fields, bytes.blob);
  const fields = { ...kept, ...(change.name === undefined ? {} : { name: change.name }) };
  tree.put({ ...file, fields }, { object: 'updated_file', file: file.id });
};

export const deleteFile: Apply<'delete_file'> = (change, { tree }) => {
  const file = tree.get('file', change.file);
  tree.delete(file, { object: 'deleted_file', file: file.id });
};
