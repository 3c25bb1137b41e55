import { expect, test } from 'vitest';
import { readingPaths } from '../support/reading-path.ts';

/** What every answer of the API passes; a message of a queue passes `consume` and `handleEvent`. */
const api = ['implement'];
const queue = ['consume', 'handleEvent'];

/** How many files at most somebody opens who follows an operation from HTTP to SQL, the contract aside. */
const paths: Record<string, { from: string[]; most: number }> = {
  'GET page': { from: [...api, 'getPageById'], most: 148 },
  'a batch': { from: [...api, 'updateChangeRequestContent', 'SpaceHead.edit'], most: 150 },
  'a merge': {
    from: [...api, 'mergeChangeRequest', 'ContentService.mergeChangeRequest', 'SpaceHead.merge'],
    most: 125,
  },
  'an import': {
    from: [...api, ...queue, 'importContent', 'importContentJob', 'SpaceHead.arrive'],
    most: 214,
  },
  // That of a visitor reads its pages as the site does, which goes the way of a page.
  'a PDF': { from: [...api, ...queue, 'getPDF', 'requestPdf', 'renderPdf'], most: 243 },
};

const follow = readingPaths();

test.each(Object.entries(paths))('%s is read in few files', (_name, { from, most }) => {
  const files = follow(from);

  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});
