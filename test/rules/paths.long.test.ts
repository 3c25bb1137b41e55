import { expect, test } from 'vitest';
import { readingPaths } from '../support/reading-path.ts';

/** Every API request passes `implement`; every queue message passes `consume` and `handleEvent`. */
const api = ['implement'];
const queue = ['consume', 'handleEvent'];

/**
 * The maximum number of files to open to follow an operation from HTTP to SQL and back, without the contract, and of
 * files that it can execute. These limits may only decrease.
 */
const paths: Record<string, { from: string[]; files: number; all: number }> = {
  'GET page': { from: [...api, 'getPageById'], files: 60, all: 87 },
  'a batch of edits': { from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'], files: 68, all: 97 },
  'a merge': { from: [...api, 'mergeChangeRequest', 'SpaceHead.merge'], files: 55, all: 88 },
  'a comment': { from: [...api, 'postComment'], files: 47, all: 74 },
  'a published page': { from: ['serveSite'], files: 75, all: 148 },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.finishImport'],
    files: 79,
    all: 151,
  },
  'a PDF': { from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'], files: 48, all: 66 },
};

const follow = readingPaths();

test.each(Object.entries(paths))('%s is implemented in few files', (_name, { from, ...most }) => {
  const { files, all } = follow(from);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(most.all);
});
