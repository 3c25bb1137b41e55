import { beforeAll, expect, test } from 'vitest';
import { createDrawingSite } from './drawn-page.ts';

let site: Awaited<ReturnType<typeof createDrawingSite>>;

beforeAll(async () => {
  site = await createDrawingSite();
});

test('each tab has a title and a unique anchor, even if titles are equal', async () => {
  const tabs =
    '{% tabs %}\n{% tab title="npm" %}\nOne\n{% endtab %}\n{% tab title="pnpm" %}\nTwo\n{% endtab %}\n{% endtabs %}\n';
  const page = await site.draw(`# Tab npm\n\n${tabs}\n${tabs}`);

  expect(page.all('section').map(({ attributes }) => [attributes.id, attributes['data-title']])).toEqual([
    ...[
      ['tab-npm-2', 'npm'],
      ['tab-pnpm', 'pnpm'],
      ['tab-npm-3', 'npm'],
      ['tab-pnpm-2', 'pnpm'],
    ],
  ]);
  expect(page.all('p.tab-title').map(({ text }) => text)).toEqual(['npm', 'pnpm', 'npm', 'pnpm']);
});

test('expandable blocks have an anchor', async () => {
  const page = await site.draw('<details>\n\n<summary>How <b>long</b>?</summary>\n\nA day.\n\n</details>\n');

  expect(page.one('details')).toMatchObject({ attributes: { id: 'how-long' } });
  expect(page.one('summary').inside.map(({ tag }) => tag)).toEqual(['strong']);
});

test('the label of a task says whether it is done', async () => {
  const page = await site.draw('* [ ] One\n* [x] Two\n  * [x] Three\n');

  expect(page.all('span.check').map(({ attributes }) => attributes['aria-label'])).toEqual(['To do', 'Done', 'Done']);
});

test('updates have their date as anchor, and show their tags', async () => {
  const page = await site.draw(
    '{% updates %}\n{% update date="2026-10-01" tags="new,api" %}\nA\n{% endupdate %}\n{% update date="2026-10-01" %}\nB\n{% endupdate %}\n{% endupdates %}\n',
  );

  expect(page.all('section').map(({ attributes }) => attributes.id)).toEqual([
    'update-2026-10-01-2',
    'update-2026-10-01',
  ]);
  expect(page.all('time')[0]?.text).toBe('October 1, 2026');
  expect(page.all('span.tag').map(({ text }) => text)).toEqual(['new', 'api']);
});

test('a prompt for an assistant expands and can be copied', async () => {
  const page = await site.draw(
    '{% prompt description="Ask for docs" icon="robot" %}\n```text\nWrite\ndocs\n```\n{% endprompt %}\n',
  );

  expect(page.one('summary').text).toBe('Ask for docs');
  expect(page.one('code-block').text).toBe('Write\ndocs');
});

test('steps are an ordered list, columns have their widths, and a quotation is a blockquote', async () => {
  const page = await site.draw(
    '{% stepper %}\n{% step %}\n## First\n{% endstep %}\n{% step %}\n## Second\n{% endstep %}\n{% endstepper %}\n\n{% columns %}\n{% column width="30%" %}\nA\n{% endcolumn %}\n{% column %}\nB\n{% endcolumn %}\n{% endcolumns %}\n\n> Said\n',
  );

  expect(page.one('ol.stepper').inside.filter(({ tag }) => tag === 'li').length).toBe(2);
  expect(page.html).toContain('minmax(0,30fr) minmax(0,50fr)');
  expect(page.one('blockquote').text).toBe('Said');
});

test.each(['info', 'success', 'warning', 'danger'])('a hint of style %s has its icon', async (style) => {
  const page = await site.draw(`{% hint style="${style}" %}\nMind this\n{% endhint %}\n`);

  expect(page.one(`div.${style}`)).toMatchObject({
    text: expect.stringMatching(/^(?:Note|Success|Warning|Danger)Mind this$/),
    classes: ['hint', style],
  });
  expect(page.all('use').length).toBe(1);
});

test('the label of collapsed code and of diff lines describes them in words', async () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
  const page = await site.draw(
    `{% code title="a.txt" expandable="true" lineNumbers="true" overflow="wrap" %}\n\`\`\`text {2}\n${lines}\n\`\`\`\n{% endcode %}\n\n\`\`\`diff\n- a\n+ b\n\`\`\`\n`,
  );
  const [code] = page.all('figure.code');

  expect(code?.classes).toEqual(expect.arrayContaining(['numbered', 'wrapped']));
  expect(code?.inside.find(({ tag }) => tag === 'figcaption')?.text).toBe('a.txt');
  expect(page.all('code-block')[0]?.attributes).toMatchObject({ 'data-more': 'Show all lines', 'data-copy': 'Copy' });
  expect(page.one('span.marked').text).toBe('line 1\n');
  expect([page.one('span.removed').text, page.one('span.added').text]).toEqual(['- a\n', '+ b\n']);
});
