import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { getRelativePath } from './relative-path.ts';

const file = fc
  .array(fc.constantFrom('a', 'b', 'c d', '.x'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));

test('returns the path from the folder of a file, as Node.js does', () => {
  holds(
    fc.property(file, file, (from, to) => {
      expect(getRelativePath(from, to)).toBe(path.posix.relative(path.posix.dirname(from), to));
    }),
  );
});
