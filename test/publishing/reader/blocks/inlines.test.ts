import { beforeAll, expect, test } from 'vitest';
import { createDrawingSite } from './drawn-page.ts';

let site: Awaited<ReturnType<typeof createDrawingSite>>;

beforeAll(async () => {
  site = await createDrawingSite();
});

test.each([
  ['**a**', 'strong'],
  ['*a*', 'em'],
  ['`a`', 'code'],
  ['~~a~~', 's'],
  ['<kbd>a</kbd>', 'kbd'],
  ['<sup>a</sup>', 'sup'],
  ['<sub>a</sub>', 'sub'],
  ['<mark style="color:red;">a</mark>', 'span.ink-red'],
  ['<mark style="color:$primary;">a</mark>', 'span.ink-primary'],
  ['<mark style="background-color:yellow;">a</mark>', 'mark.on-yellow'],
])('renders %s as the element %s', async (markdown, element) => {
  const page = await site.draw(`x ${markdown} y\n`);

  expect(page.one(element).text).toBe('a');
});

test('an unknown color adds no class or style', async () => {
  const page = await site.draw('<mark style="color:red;background:url(//a.example)">a</mark>\n');

  expect(page.html).not.toContain('a.example');
  expect(page.all('mark').flatMap(({ attributes }) => Object.keys(attributes))).not.toContain('style');
});

test.each([
  ['gear', 'solid/gear'],
  ['fa-gear', 'solid/gear'],
  ['fa-regular fa-bell', 'regular/bell'],
  ['github', 'brands/github'],
  ['home', 'regular/home'],
  ['no-icon-of-this-name', undefined],
])('renders the icon %s as %s', async (icon, file) => {
  const page = await site.draw(`<a href="https://a.example" class="button primary" data-icon="${icon}">Go</a>\n`);

  expect(page.all('use')[0]?.attributes.href?.replace(/^.*icons\/(.*)\.svg#icon$/, '$1')).toBe(file);
});

test('renders a button as a link, or as text if it has no target', async () => {
  const page = await site.draw(
    '<a href="https://a.example/x" class="button primary" data-icon="rocket">Start</a> <a href="javascript:alert(1)" class="button secondary">Run</a>\n',
  );

  expect(page.one('a.button-primary')).toMatchObject({ text: 'Start', attributes: { href: 'https://a.example/x' } });
  expect(page.html).not.toContain('javascript:');
  expect(page.html).toContain('Run');
});

test('renders a broken link as its text', async () => {
  const page = await site.draw('Read [the guide](missing.md) first.\n');

  expect(page.all('a').map(({ text }) => text)).not.toContain('the guide');
  expect(page.html).toContain('the guide');
});

test("a button with the footnote's number opens a footnote", async () => {
  const page = await site.draw('A word[^1].\n\n[^1]: What it **means**.\n');
  const { attributes } = page.one('button.annotation');

  expect(attributes['aria-label']).toBe('Note 1');
  expect(page.one('span.note')).toMatchObject({ text: 'What it means.', attributes: { id: attributes.popovertarget } });
});

test('renders a formula as MathML without inline styles, or as its source if it is invalid', async () => {
  const page = await site.draw(
    'A $$x^2$$ here.\n\n$$\n\\begin{aligned}a&=\\color{red} b\\end{aligned}\n$$\n\n$$\n\\nothing{\n$$\n',
  );

  expect(page.all('math').length).toBe(2);
  expect(page.html).not.toMatch(/\sstyle="/);
  expect(page.html).toMatch(/\.s\d+\{color:#ff0000\}/);
  expect(page.one('pre.math').text).toBe('\\nothing{');
});
