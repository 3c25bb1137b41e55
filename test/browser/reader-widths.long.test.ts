import { expect, test } from 'vitest';
import { createCommandLine, withTree } from '../cli/octavo.ts';
import { setUpBrowsedSite } from './browsed-site.ts';

const longWord = 'supercalifragilistic_configuration_of_the_reference_parameters';
const countUp = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const wideTable = [
  `| ${countUp(14)
    .map((column) => `column ${column}`)
    .join(' | ')} |`,
  `|${countUp(14)
    .map(() => '---|')
    .join('')}`,
  `| ${countUp(14)
    .map((column) => `a value ${column}`)
    .join(' | ')} |`,
].join('\n');

const longTable = [
  '| Name | What it says |\n|---|---|',
  ...countUp(40).map((row) => `| \`option_${row}\` | Words. |`),
].join('\n');

const hard = `# ${longWord}

${'Words that go on for as long as it takes to say it all, and no longer. '.repeat(12)}

A note[^1] and [elsewhere](https://example.com/).

[^1]: What the note says.

## ${longWord.toUpperCase()}

\`${longWord}::${longWord}\`

${wideTable}

{% tabs %}
{% tab title="npm" %}
\`\`\`sh
npm install ${longWord} --registry https://registry.example.com/${longWord}
\`\`\`
{% endtab %}
{% tab title="${longWord}" %}
In the second tab.
{% endtab %}
{% endtabs %}

<details>
<summary>What opens</summary>

It was closed.

</details>

## Options

${longTable}

## Last

Words.
`;

const deep = `# Deep

${countUp(40)
  .map((level) => `${'  '.repeat(level)}- level ${level} of it`)
  .join('\n')}

Words.

${countUp(30)
  .map((level) => `${'  '.repeat(level)}- [ ] task ${level}`)
  .join('\n')}

${'>'.repeat(30)} quoted deeply
`;

const pages: [name: string, text: string][] = [
  ['hard', hard],
  ['deep', deep],
  ...countUp(40).map((page): [string, string] => [`page-${page}`, `# Page ${page}\n\nWords.\n`]),
];
const files = Object.fromEntries([
  ['README.md', '# Welcome\n\nWords.\n'],
  [
    'SUMMARY.md',
    `# Summary\n\n* [Welcome](README.md)\n${pages.map(([name, text]) => `* [${/\S.*/.exec(text.slice(2))}](${name}.md)`).join('\n')}\n`,
  ],
  ...pages.map(([name, text]) => [`${name}.md`, text]),
]);

const { open } = setUpBrowsedSite(async () => {
  const { octavo, organization } = await createCommandLine();
  const { stdout } = await withTree(files, (folder) => octavo('publish', folder, '--organization', organization));
  return /: (http\S+)\n$/.exec(stdout)?.[1] ?? '';
});

const phone = { width: 390, height: 844 };
const desktop = { width: 1440, height: 900 };

/**
 * Finds elements that overflow and cannot be scrolled. Wide tables may be wider than the text, but not their column.
 */
const cut = `[...document.querySelectorAll('main *:not(article), .pages a, .outline a')].filter((element) => {
  const { overflowX } = getComputedStyle(element);
  const isHidden = element.closest('.hidden, math, svg') !== null || !element.checkVisibility();
  return !isHidden && !['auto', 'scroll'].includes(overflowX) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
}).map(({ outerHTML }) => outerHTML.slice(0, 120))`;

/** Finds tables that overlap the sidebar or the outline. */
const overlaps = `[...document.querySelectorAll('.table')].filter((table) => {
  const { left, right } = table.getBoundingClientRect();
  return [...document.querySelectorAll('.side, .outline')].some((beside) => {
    const box = beside.getBoundingClientRect();
    const isBeside = beside.checkVisibility() && box.width > 0 && box.height > 200 && box.width < innerWidth / 2;
    return isBeside && left < box.right && right > box.left;
  });
}).map(({ outerHTML }) => outerHTML.slice(0, 120))`;

test.each([320, 390, 820, 1200, 1440, 1920])(
  'long words and wide tables do not widen a page of %d pixels',
  async (width) => {
    const page = await open('hard', { viewport: { width, height: 900 } });

    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.evaluate<string[]>(cut)).toEqual([]);
    expect(await page.evaluate<string[]>(overlaps)).toEqual([]);
  },
);

test.each([320, 390, 1440])('deeply nested lists and quotations do not widen a page of %d pixels', async (width) => {
  const page = await open('deep', { viewport: { width, height: 900 } });

  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  expect(await page.evaluate<string[]>(cut)).toEqual([]);
  for (const text of ['level 39 of it', 'task 29', 'quoted deeply']) {
    const box = await page.getByText(text, { exact: true }).boundingBox();
    expect((box?.x ?? width) + Math.min(60, box?.width ?? width)).toBeLessThanOrEqual(width);
    expect(box?.height).toBeLessThan(120);
  }
});

test('search suggestions fit on a phone', async () => {
  const page = await open('', { viewport: phone });
  await page.getByRole('combobox').fill('words');
  await page.getByRole('option').first().waitFor();
  const box = await page.getByRole('listbox').boundingBox();

  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
});

test('on a phone, a button above the page opens its outline from anywhere', async () => {
  const page = await open('hard', { viewport: phone });
  const outline = page.getByRole('navigation', { name: 'On this page' });
  expect(await outline.isVisible()).toBe(false);
  await page.evaluate('scrollTo(0, 2000)');
  await page.getByRole('button', { name: 'On this page' }).focus();
  await page.keyboard.press('Enter');
  await outline.getByRole('link', { name: 'Options' }).click();
  await outline.waitFor({ state: 'hidden' });
  const top = await page.evaluate<number>('document.getElementById("options").getBoundingClientRect().top');

  // The position is below the sticky header.
  expect(top).toBeGreaterThan(105);
  expect(top).toBeLessThan(300);
});

test('overlays close when the keyboard opens the search', async () => {
  const page = await open('hard', { viewport: phone });
  for (const [button, over] of [
    ['On this page', '.outline nav'],
    ['Menu', '.side'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await page.locator(over).waitFor();
    await page.keyboard.press('/');
    await page.locator(over).waitFor({ state: 'hidden' });

    expect(await page.evaluate('document.activeElement?.getAttribute("type")')).toBe('search');
    await page.evaluate('document.activeElement.blur()');
  }
});

test('on a touch screen, the copy button covers no code', async () => {
  const page = await open('hard', { viewport: phone, hasTouch: true, isMobile: true });
  const button = await page.locator('.copy').first().boundingBox();
  const line = await page.locator('.line').first().boundingBox();

  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(line?.y ?? 0);
});

/** Returns the average line length of the first paragraph. */
const charactersPerLine = `(() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector('article > p'));
  return words.toString().length / new Set([...words.getClientRects()].map(({ top }) => top)).size;
})()`;

test.each([1440, 1920])('a line has at most 75 characters on a page of %d pixels', async (width) => {
  const page = await open('hard', { viewport: { width, height: 900 } });
  const perLine = await page.evaluate<number>(charactersPerLine);

  expect(perLine).toBeGreaterThan(65);
  expect(perLine).toBeLessThan(76);
});

test('the navigation scrolls to the current page', async () => {
  const page = await open('page-39', { viewport: desktop });
  const box = await page.locator('.pages [aria-current]').boundingBox();

  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(desktop.height - 20);
  expect(await page.evaluate('scrollY')).toBe(0);
});

test('the header of a long table stays visible', async () => {
  const page = await open('hard', { viewport: desktop });
  const table = page.getByRole('group', { name: 'Name, What it says' });
  await table.getByRole('cell', { name: 'option_30' }).scrollIntoViewIfNeeded();
  const head = await table.getByRole('columnheader', { name: 'Name' }).boundingBox();

  expect(head?.y).toBeGreaterThanOrEqual(60);
  expect(head?.y).toBeLessThan(80);
});

test('prints everything expanded and uncut, without screen controls', async () => {
  const page = await open('hard', { viewport: { width: 700, height: 1000 } });
  await page.locator('[role=tab]').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  const isVisible = (words: string) => page.getByText(words).first().isVisible();

  // Printed pages cannot scroll.
  expect(await page.evaluate<string[]>(cut.replace("['auto', 'scroll'].includes(overflowX)", 'false'))).toEqual([]);
  expect(
    await page.evaluate('document.querySelector(".table").scrollWidth - document.querySelector(".table").clientWidth'),
  ).toBe(0);
  for (const words of ['In the second tab.', 'It was closed.', 'What the note says.'])
    expect([words, await isVisible(words)]).toEqual([words, true]);
  for (const part of ['.top', '.side', '.outline', '.neighbours', '[role=tablist]', '.copy'])
    expect([part, await page.locator(part).first().isVisible()]).toEqual([part, false]);
});
