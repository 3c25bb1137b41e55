import { keepSide } from '@octavo/merge';
import type { ContentChange, Issue } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import type { Apply, ChangeContext } from './change.ts';
import type { PreparedChange } from './documents.ts';
import { readText } from './documents.ts';
import {
  deleteFile,
  deleteReusableContent,
  insertFiles,
  insertReusableContent,
  setVariables,
  updateFile,
  updateReusableContent,
} from './other-changes.ts';
import {
  deletePage,
  insertComputed,
  insertGroup,
  insertLink,
  insertPage,
  revertPage,
  updatePage,
} from './page-changes.ts';
import { refuseTooDeep } from './place.ts';
import { resolve } from './resolve.ts';
import type { ContentTree } from './tree.ts';

const operations: { [Operation in ContentChange['operation']]: Apply<Operation> } = {
  insert_page: insertPage,
  insert_group: insertGroup,
  insert_link: insertLink,
  insert_computed: insertComputed,
  update_page: updatePage,
  delete_page: deletePage,
  revert_page: revertPage,
  set_variables: setVariables,
  insert_reusable_content: insertReusableContent,
  update_reusable_content: updateReusableContent,
  delete_reusable_content: deleteReusableContent,
  insert_files: insertFiles,
  update_file: updateFile,
  delete_file: deleteFile,
  resolve,
};

/** Applies a batch in order; the first change that cannot be applied refuses them all and is named by its index. */
export function applyChanges(prepared: PreparedChange[], tree: ContentTree, urlOf: (page: string) => string): void {
  const written = new Map(
    prepared.flatMap(({ document }) => (document?.stored ? [[document.stored.hash, document]] : [])),
  );
  const saidBy: ChangeContext['saidBy'] = (hash, markerLength) => {
    const document = written.get(hash);
    const text = document?.stored?.markdown ?? tree.content.texts.get(hash) ?? '';
    const mine = markerLength === undefined ? text : (keepSide(text, markerLength, 'incoming') ?? text);
    if (mine === text && document !== undefined) return document;
    return mine === '' ? undefined : readText(mine).said;
  };
  prepared.forEach((each, index) => {
    const apply = operations[each.change.operation] as (change: ContentChange, context: ChangeContext) => void;
    try {
      apply(each.change, { tree, index, prepared: each, urlOf, saidBy });
    } catch (error) {
      throw located(error, index);
    }
  });
  refuseTooDeep(tree);
}

function located(error: unknown, index: number): unknown {
  if (!(error instanceof ApiError)) return error;
  const path = `body.changes.${index}`;
  const issues: Issue[] = error.issues?.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })) ?? [
    { path, message: error.message },
  ];
  return new ApiError(error.type, issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), issues);
}
