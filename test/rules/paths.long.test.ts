import { expect, test } from 'vitest';
import { readingPaths } from '../support/reading-path.ts';

/** Every API request passes `implement`; every queue message passes `consume` and `handleEvent`. */
const api = ['implement'];
const queue = ['consume', 'handleEvent'];

/**
 * Maximum number of files that a reader opens to follow an operation from HTTP to SQL and back, without the contract,
 * and of files that the operation can execute. A commit that raises a limit says why.
 */
const paths: Record<string, { from: string[]; files: number; all: number }> = {
  'GET page': { from: [...api, 'getPageById'], files: 68, all: 100 },
  'a batch of edits': { from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'], files: 72, all: 107 },
  'a merge': { from: [...api, 'mergeChangeRequest', 'SpaceHead.merge'], files: 58, all: 94 },
  'a comment': { from: [...api, 'postComment'], files: 51, all: 81 },
  'a published page': { from: ['serveSite'], files: 88, all: 172 },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.finishImport'],
    files: 84,
    all: 171,
  },
  'a PDF': { from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'], files: 53, all: 73 },
};

const follow = readingPaths();

test.each(Object.entries(paths))('%s is implemented in a limited number of files', (_name, { from, ...most }) => {
  const { files, all } = follow(from);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(most.all);
});
