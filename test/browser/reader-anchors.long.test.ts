import { expect, test } from 'vitest';
import { createCommandLine, withTree } from '../cli/octavo.ts';
import { setUpBrowsedSite } from './browsed-site.ts';

const filler = Array.from({ length: 40 }, (_, index) => `Filler ${index}.`).join('\n\n');

/** Parts of a page, each with all anchors that are expected to work, for every generator. */
const parts: [text: string, ...anchors: string[]][] = [
  ['## MixedCase', 'mixedcase', 'MixedCase', 'mixed-case'],
  ['- item <a id="in-list"></a>one', 'in-list'],
  ['Text <a name="in-text"></a>here.', 'in-text'],
  ['<div id="box">\n\ninside of it\n\n</div>', 'box'],
  ['> quotation <span id="in-quotation">b</span>', 'in-quotation'],
  ['| Cells |\n|---|\n| <a id="in-cell"></a>cell |', 'in-cell'],
  ['<table>\n<tr><td>\n\n<a id="in-table"></a>cut\n\n</td></tr>\n</table>', 'in-table'],
  ['## 1. Math & TeX', '1-math-tex', 'id-1.-math-and-tex', '1-math--tex', '_1-math-tex', '1-Math-TeX'],
  ['## Setup', 'setup'],
  ['## Setup', 'setup-2', 'setup-1', 'setup_1'],
  ['## Two words {#own-id}', 'own-id', 'two-words', 'two%20words', 'Two Words'],
  ['<a id="above"></a>\n\n### Above', 'above'],
  ['<a id="end"></a>The end', 'end'],
];
const anchors = parts.flatMap(([, ...names], part) => names.map((name): [string, number] => [name, part]));
const files = {
  'README.md': '# Welcome\n\nWords.\n',
  'anchors.md': `# Anchors\n\n${anchors.map(([name]) => `[x](<#${name}>)`).join(' ')}\n\n${parts
    .map(([text], part) => `${filler}\n\nPart ${part} is next.\n\n${text}`)
    .join('\n\n')}\n\n${filler}\n`,
};

let broken = '';
const { open } = setUpBrowsedSite(async () => {
  const { octavo, organization } = await createCommandLine();
  const { stdout, stderr } = await withTree(files, (folder) =>
    octavo('publish', folder, '--organization', organization),
  );
  broken = `${stdout}${stderr}`;
  return /: (http\S+)\n$/.exec(stdout)?.[1] ?? '';
});

/** Returns the distance from the top of the window to the paragraph that announces a part. */
const createDistanceScript = (part: number): string =>
  `[...document.querySelectorAll('article p')].find(({ textContent }) => textContent === 'Part ${part} is next.').getBoundingClientRect().top`;

test('a page scrolls to each anchor that is not reported as broken', async () => {
  expect(broken).not.toMatch(/broken/i);
  const page = await open('anchors');
  const missed: [string, number][] = [];
  for (const [name, part] of anchors) {
    await page.evaluate(`scrollTo(0, 0); location.hash = ${JSON.stringify(`#${name}`)}`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const top = await page.evaluate<number>(createDistanceScript(part));
    // The paragraph is directly above the part, and the part is below the site's header.
    if (top < -200 || top > 300) missed.push([name, top]);
  }

  expect(missed).toEqual([]);
});
