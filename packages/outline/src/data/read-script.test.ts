import { describe, expect, test } from 'vitest';
import { NotPlain } from './read-data.ts';
import { readScript } from './read-script.ts';

const readAll = (files: Record<string, string>) => readScript('a.ts', async (path) => files[path]);

/** Formats data as JSON, with `?` for values that are not data. */
const formatData = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each) => (each instanceof NotPlain ? '?' : (each ?? null))));

test.each([
  [
    'export default { a: 1, "b-c": [true, null, -1.5, 0x10,], d: `e`, };',
    { a: 1, 'b-c': [true, null, -1.5, 16], d: 'e' },
  ],
  ["// it's\n/* { */ module.exports = { a: 'x' + \"y\\u0041\\n\" };", { a: 'xyA\n' }],
  ['const x: Y<Z> = [1]; export default { x, y: [...x, ...z], ...w } satisfies W', { x: [1], y: [1, '?'] }],
  [
    'export default defineConfig({ a: f(1), b: c ? 1 : 2, d: [1].map(String), e: `a\x24{b}`, g: /[}"/]/g })',
    { a: '?', b: '?', d: '?', e: '?', g: '?' },
  ],
  [
    'function f() { if (a) { return 1 } return [2] }\nexport default { f: f(), g() { return 3 }, h: (a) => ({ b: a }), i: () => [4] }',
    { f: [2], g: '?', h: '?', i: '?' },
  ],
  ['module.exports = async function make() { const a = 1; return { b: 2 }; };', { b: 2 }],
  [
    "import b, { c as d } from './b.js'\nexport default { b, d, e: require('./e'), f: import('./b.js') }",
    { b: [1], d: { x: 2 }, e: [5], f: '?' },
  ],
  ['const a = a; export default { a, __proto__: 1, constructor: 2 }', { a: '?', constructor: 2 }],
])('reads %s', async (text, data) => {
  const scriptData = await readAll({
    'a.ts': text,
    'b.ts': 'export default [1];\nexport const c = { x: 2 }',
    'e.json': '[5, ]',
  });

  expect(formatData(scriptData.value)).toMatchObject(data);
});

/** Properties of real configuration files. Most values cannot be read without running the file. */
const properties = `
vite: { resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } } },
buildEnd: async (x) => { await x.go({ a: 1 }) },
transformPageData(page) { page.frontmatter.x ??= []; if (a < b) { c() } },
async transformHead({ page }) { return [['meta', { a: 'b' }]] },
markdown: { config: (md) => { md.use(footnote, { a: [1] }) }, lineNumbers: true },
re: /[/'"]/g,
when: new Date(),
year: \`© \${new Date().getFullYear()}\`,
x: typeof window === 'undefined' ? 1 : 2,
neg: !isProd && -1,
...(isProd ? { a: 1 } : {}),
['x' + 'y']: 2,
get title2() { return 'x' },
t: <any>{ a: 1 },
u: { a: 1 } as unknown as Foo<Bar<Baz>>,
v: withMermaid<Conf>({ a: 1 }),
f: function named(a = {}, { b } = {}) { return 1 },
g: class { a = 1 },
m: await load('x'),
o: a?.b?.[c] ?? d,
big: 1_000n,
tag: html\`<a>\${x}</a>\`,
p: plugins.map(({ name }) => name).filter(Boolean),
r: a / b / c,
list: [new A(), new B({ c: 1 })],
h: [['script', {}, \`window.x = { a: '}' }\`]],
`;

test('reads the data around unknown values, and lists the unknown values', async () => {
  const text = `import type { T } from 'x'
enum E { A }
declare const y: number
interface I { a: string }
export default defineConfigWithTheme<T>({
${properties}
sidebar: [{ text: 'A', link: '/a' }] satisfies I[],
})`;
  const { value, skipped } = await readAll({ 'a.ts': text });

  expect(formatData(value)).toMatchObject({
    sidebar: [{ text: 'A', link: '/a' }],
    ...{ xy: 2, t: { a: 1 }, u: { a: 1 }, v: { a: 1 }, big: 1000 },
    ...{ h: [['script', {}, "window.x = { a: '}' }"]], markdown: { config: '?', lineNumbers: true }, when: '?' },
  });
  expect(skipped).toEqual([
    ...['@: fileURLToPath() (line 7)', 'buildEnd (line 8)', 'transformPageData (line 9)', 'transformHead (line 10)'],
    ...['config (line 11)', 're (line 12)', 'when (line 13)', 'year (line 14)', 'x (line 15)', 'neg (line 16)'],
    ...['spread properties (line 17)', 'title2 (line 19)', 'f (line 23)', 'g (line 24)', 'm: load() (line 25)'],
    ...['o (line 26)', 'tag (line 28)', 'p (line 29)', 'r (line 30)'],
    ...['a list item (line 31)', 'a list item (line 31)'],
  ]);
});

test('evaluates conditions, destructuring, parameters, maps and exports of other modules', async () => {
  const { value, skipped } = await readAll({
    'a.ts': `import * as all from './all'
const { list: [first], ...rest } = all
const isNext = process.env.NEXT === '1'
const links = (base: string, names = ['x']) => names.map((name) => ({ link: \`/\${base}/\${name}\` }))
export default async ({ mode }) => {
  const own = { a: first, ...(isNext ? { b: 1 } : { c: 2 }), base: process.env.BASE || '/d/' }
  if (mode === 'x') return {}
  return { ...own, links: [...links('l'), ...links('m', all.list)], picked: all.named.deep?.['key'], rest, n: all.list.length }
}`,
    'all.ts': "export * from './inner.js'\nexport { default as named } from './named.json'",
    'inner.ts': "export const list = ['p', 'q'].concat('r').filter((each) => each !== 'q')",
    'named.json': '{ "deep": { "key": 3 } }',
  });

  expect(formatData(value)).toEqual({
    ...{ a: 'p', c: 2, base: '/d/', picked: 3, rest: '?', n: 2 },
    links: [{ link: '/l/x' }, { link: '/m/p' }, { link: '/m/r' }],
  });
  expect(skipped).toEqual(['a statement (line 7)', 'rest (line 8)']);
});

test('locates a syntax error, also in an imported file', async () => {
  await expect(readAll({ 'a.ts': 'export default {\n a: }' })).rejects.toThrow('Unexpected token (2:4)');
  const { value, skipped } = await readAll({
    'a.ts': "import b from './b'\nexport default { a: 1, b }",
    'b.ts': 'const',
  });
  expect(formatData(value)).toEqual({ a: 1, b: '?' });
  expect(skipped).toEqual(['b.ts: Unexpected token (1:5)', 'b (line 2)']);
});

test('rejects a script without an export', async () => {
  await expect(readAll({ 'a.ts': 'const a = 1' })).rejects.toThrow('it has no readable export');
});

describe('reads hostile scripts within seconds', () => {
  const multiplyArray = (name: string, inner: string) => `const ${name}=[${`${inner},`.repeat(9)}];`;
  test.each([
    ['brackets', '['.repeat(100_000)],
    ['objects', '{a:'.repeat(80_000)],
    ['parentheses', '('.repeat(100_000)],
    ['templates', '`${'.repeat(80_000)],
    ['calls', 'f('.repeat(80_000)],
    ['quotes', '"'.repeat(200_000)],
    ['slashes', '/ '.repeat(100_000)],
    ['declarations', 'const a=b;'.repeat(20_000)],
    ['words', `const ${'a '.repeat(100_000)}`],
    ['imports', 'import a '.repeat(25_000)],
    ['names', 'a.'.repeat(100_000)],
    ['sums', "'a'+".repeat(60_000)],
    ['functions', '()=>'.repeat(50_000)],
    ['returns', `function(){${'return '.repeat(40_000)}`],
    ['types', `1 as ${'A<'.repeat(50_000)}`],
    ['arrow functions in defaults', `${'(a='.repeat(40)}1${')=>1'.repeat(40)}`],
    ['type assertions', '<a>('.repeat(50_000)],
    ['function types', `1 as ${'(a:'.repeat(40)}x${')=>1'.repeat(40)}`],
    ['conditions', 'a?(b):'.repeat(40_000)],
    ['a function that calls itself', 'f();const f = () => [f(), f()]'],
    ['a function that returns itself', 'f;const f = () => f'],
    ['texts of texts', `f('x'.repeat(9));const f = (a) => f(a + a)`],
    ['lists of lists', 'f([1]);const f = (a) => f([...a, ...a])'],
    ['one long name', `[${'a,'.repeat(20_000)}];const a='${'x'.repeat(100_000)}'`],
    ['a name after a long comment', `[${'a,'.repeat(20_000)}];const a=/*${'x'.repeat(100_000)}*/1`],
    ['a function that is called', `[${'f(),'.repeat(20_000)}];function f() {/*${'x'.repeat(100_000)}*/ return 1}`],
    [
      'values of values',
      `a;${multiplyArray('a', 'b')}${multiplyArray('b', 'c')}${multiplyArray('c', 'd')}${multiplyArray('d', 'e')}${multiplyArray('e', 'f')}${multiplyArray('f', 'g')}const g=1`,
    ],
  ])('%s', async (_name, text) => {
    const { user } = process.threadCpuUsage();
    for (const start of ['', 'export default ']) await readAll({ 'a.ts': start + text }).catch(() => {});
    expect((process.threadCpuUsage().user - user) / 1_000).toBeLessThan(3_000);
  });
});
