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
  'GET page': { from: [...api, 'getPageById'], files: 65, all: 92 },
  'a batch of edits': { from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'], files: 74, all: 103 },
  'a merge': { from: [...api, 'mergeChangeRequest', 'SpaceHead.merge'], files: 61, all: 94 },
  'a comment': { from: [...api, 'postComment'], files: 53, all: 80 },
  'a published page': { from: ['serveSite'], files: 81, all: 154 },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.arrive'],
    files: 85,
    all: 157,
  },
  'a PDF': { from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'], files: 54, all: 72 },
};

const follow = readingPaths();

test.each(Object.entries(paths))('%s is followed in few files', (_name, { from, ...most }) => {
  const { files, all } = follow(from);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(most.all);
});
