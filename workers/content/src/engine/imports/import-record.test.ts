import { expect, test } from 'vitest';
import { describeImport } from './import-record.ts';

test('the summary of an import names a website, but not the key of an upload', () => {
  expect(describeImport({ url: 'https://docs.example.com/' })).toBe('Import of https://docs.example.com/');
  expect(describeImport({ url: 'upload:upl_8rNc45YvPk2BsXjL0mTd' })).toBe('Import of uploaded files');
});
