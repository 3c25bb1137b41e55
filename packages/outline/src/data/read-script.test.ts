import { describe, expect, test } from 'vitest';
import { NotPlain, unwrap } from './read-data.ts';
import { readScript } from './read-script.ts';

const readAll = (files: Record<string, string>) => readScript('a.ts', async (path) => files[path]);

/** Formats data as JSON, with `?` for values that are not data. */
const shown = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(unwrap(value as never), (_, each) => (each instanceof NotPlain ? '?' : (each ?? null))));

test.each([
  [
    'export default { a: 1, "b-c": [true, null, -1.5, 0x10,], d: `e`, };',
    { a: 1, 'b-c': [true, null, -1.5, 16], d: 'e' },
  ],
  ["// it's\n/* { */ module.exports = { a: 'x' + \"y\\u0041\\n\" };", { a: 'xyA\n' }],
  ['const x: Y<Z> = [1]; export default { x, y: [...x, ...z], ...w } satisfies W', { x: [1], y: [1, '?'], '...': '?' }],
  [
    'export default defineConfig({ a: f(1), b: c ? 1 : 2, d: [1].map(String), e: `a\x24{b}`, g: /[}"/]/g })',
    { a: '?', b: '?', d: '?', e: '?', g: '?' },
  ],
  [
    'function f() { if (a) { return 1 } return [2] }\nexport default { f: f(), g() { return 3 }, h: (a) => ({ b: a }), i: () => [4] }',
    { f: [2], g: '?', h: '?', i: [4] },
  ],
  ['module.exports = async function make() { const a = 1; return { b: 2 }; };', { b: 2 }],
  [
    "import b, { c as d } from './b.js'\nexport default { b, d, e: require('./e'), f: import('./b.js') }",
    { b: [1], d: { x: 2 }, e: [5], f: '?' },
  ],
  ['const a = a; export default { a, __proto__: 1, constructor: 2 }', { a: '?', constructor: 2 }],
])('%s', async (text, data) => {
  const found = await readAll({
    'a.ts': text,
    'b.ts': 'export default [1];\nexport const c = { x: 2 }',
    'e.json': '[5, ]',
  });

  expect(shown(found)).toMatchObject(data);
});

test('rejects a script without an export', async () => {
  await expect(readAll({ 'a.ts': 'const a = 1' })).rejects.toThrow('it has no readable export');
});

describe('reads hostile scripts within seconds', () => {
  const wide = (name: string, inner: string) => `const ${name}=[${`${inner},`.repeat(9)}];`;
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
    ['one long name', `[${'a,'.repeat(20_000)}];const a='${'x'.repeat(100_000)}'`],
    ['a name behind a long comment', `[${'a,'.repeat(20_000)}];const a=/*${'x'.repeat(100_000)}*/1`],
    ['a function that is called', `[${'f(),'.repeat(20_000)}];function f() {/*${'x'.repeat(100_000)}*/ return 1}`],
    [
      'values of values',
      `a;${wide('a', 'b')}${wide('b', 'c')}${wide('c', 'd')}${wide('d', 'e')}${wide('e', 'f')}${wide('f', 'g')}const g=1`,
    ],
  ])('%s', async (_name, text) => {
    const { user } = process.threadCpuUsage();
    for (const start of ['', 'export default ']) await readAll({ 'a.ts': start + text }).catch(() => {});
    expect((process.threadCpuUsage().user - user) / 1_000).toBeLessThan(3_000);
  });
});
