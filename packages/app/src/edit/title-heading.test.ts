import { describe, expect, test } from 'vitest';
import { renameTitleHeading } from './title-heading.ts';

describe('renameTitleHeading', () => {
  test.each([
    ['# Old\n\nText\n', '# New\n\nText\n'],
    ['# Old', '# New'],
    ['---\nicon: gear\n---\n\n# Old  \nText', '---\nicon: gear\n---\n\n# New  \nText'],
  ])('renames the first heading of %j', (markdown, expected) => {
    expect(renameTitleHeading(markdown, 'Old', 'New')).toBe(expected);
  });

  test.each(['# Other\n\n# Old\n', '## Old\n', 'Text\n\n# Old\n', 'Old\n', ''])('does not change %j', (markdown) => {
    expect(renameTitleHeading(markdown, 'Old', 'New')).toBe(markdown);
  });

  test('escapes characters that have a meaning in Markdown', () => {
    const renamed = renameTitleHeading('# Old\n', 'Old', 'The [new] *one*');
    expect(renamed).toBe('# The \\[new\\] \\*one\\*\n');
    expect(renameTitleHeading(renamed, 'The [new] *one*', 'Old')).toBe('# Old\n');
  });
});
