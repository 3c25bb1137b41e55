import type { ContentChange } from '@octavo/schema';

const page = (title: string, ...lines: string[]): ContentChange => ({
  operation: 'insert_page',
  title,
  document: { markdown: `${lines.join('\n')}\n` },
});

/** Pages that show what a page can hold. */
export const samplePages: ContentChange[] = [
  page(
    'Welcome',
    'This space is shown by its site. Change these pages, or delete them.',
    '',
    '{% hint style="info" %}',
    'Hints come in four styles: `info`, `success`, `warning` and `danger`.',
    '{% endhint %}',
  ),
  page(
    'Blocks',
    '## Tabs',
    '',
    '{% tabs %}',
    '{% tab title="npm" %}',
    '```sh',
    'npm install',
    '```',
    '{% endtab %}',
    '',
    '{% tab title="pnpm" %}',
    '```sh',
    'pnpm install',
    '```',
    '{% endtab %}',
    '{% endtabs %}',
    '',
    '## Lists and tables',
    '',
    '- [x] Create a site',
    '- [ ] Publish it',
    '',
    '| Block | For |',
    '| --- | --- |',
    '| Hint | what must not be missed |',
    '| Tabs | ways to do the same |',
  ),
];
