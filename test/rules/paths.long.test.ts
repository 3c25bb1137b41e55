import { expect, test } from 'vitest';
import { readingPaths } from '../support/reading-path.ts';

/** Every API request passes `implement`; every queue message passes `consume` and `handleEvent`. */
const api = ['implement'];
const queue = ['consume', 'handleEvent'];

/**
 * The most files to open to follow an operation from HTTP to SQL and back, the contract aside, and the most files that
 * it can run through. These limits only go down.
 */
const paths: Record<string, { from: string[]; files: number; all: number }> = {
  'GET page': { from: [...api, 'getPageById'], files: 98, all: 149 },
  'a batch of edits': { from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'], files: 106, all: 150 },
  'a merge': { from: [...api, 'mergeChangeRequest', 'SpaceHead.merge'], files: 77, all: 125 },
  'a comment': { from: [...api, 'postComment'], files: 66, all: 114 },
  'a published page': { from: ['serveSite'], files: 263, all: 419 },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.arrive'],
    files: 214,
    all: 214,
  },
  'a PDF': { from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'], files: 243, all: 243 },
};

const follow = readingPaths();

test.each(Object.entries(paths))('%s is followed in few files', (_name, { from, ...most }) => {
  const { files, all } = follow(from);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(most.all);
});
