import { describe, expect, test } from 'vitest';
import { type Colored, highlighterOf } from './highlight.ts';
import { colors } from './ink.ts';
import { languages } from './languages.ts';

async function colored(syntax: string, code: string): Promise<Colored[]> {
  const highlighter = await highlighterOf(syntax);
  if (highlighter === undefined) throw new Error(`Nothing reads ${syntax}.`);
  return code.split('\n').flatMap((line) => highlighter.line(line));
}

const samples: [syntax: string, code: string, words: string[]][] = [
  ['js', 'const a = "b"; // c', ['const', '"b"', '// c']],
  ['ts title="a.ts"', 'interface A { b?: true }', ['interface', 'A', 'true']],
  ['python', 'def f(): return 1', ['def', 'return', '1']],
  ['bash', 'export A=$B # c', ['export', '# c']],
  ['html', '<a href="b">c</a>', ['href', '"b"']],
  ['json', '{"a": [1, null]}', ['1', 'null']],
  ['yaml', 'a: "b" # c', ['"b"', '# c']],
  ['php', 'function f($a) { return "b"; }', ['function', 'return', '"b"']],
  ['diff', '- a\n+ b', ['- a', '+ b']],
  ['Rust', 'fn main() { "a" }', ['fn', '"a"']],
  ['c++', 'int a = 1; // b', ['int', '1', '// b']],
];

test.each(samples)('code in %s has colors', async (syntax, code, words) => {
  const parts = await colored(syntax, code);
  const found = parts.filter(({ color }) => color !== colors.text).map(({ text }) => text.trim());

  expect(found).toEqual(expect.arrayContaining(words));
});

test('a comment goes on over lines', async () => {
  expect(await colored('js', '/* a\n\nb */ c')).toEqual([
    { text: '/* a', color: colors.soft },
    { text: '', color: colors.text },
    { text: 'b */', color: colors.soft },
    { text: ' c', color: colors.text },
  ]);
});

test.each([
  ['sh', '$😀 a'],
  ['js', '"\\😀" 😀'],
])('no part of code in %s ends within a character: %s', async (syntax, code) => {
  const parts = await colored(syntax, code);

  expect(parts.map(({ text }) => text).join('')).toBe(code);
  expect(parts.every(({ text }) => text.isWellFormed())).toBe(true);
});

test.each(['', 'mermaid', '__proto__', 'constructor', '{1,3}', 'x'.repeat(1_000)])(
  'nothing reads %j',
  async (syntax) => {
    expect(await highlighterOf(syntax)).toBeUndefined();
  },
);

describe('security 31: hostile code in every language', () => {
  const hostile = ['(', '"', '/*', '<a ', '] ', '`${', '\\', '$(', 'var a; '];

  test.each([...new Set(languages.values())].map((parser) => [parser.name ?? 'xml', parser]))(
    '%s is read whole, in little time',
    async (_name, parser) => {
      const [syntax = ''] = [...languages].find(([, each]) => each === parser) ?? [];
      for (const unit of hostile) {
        const line = unit.repeat(Math.floor(400 / unit.length));
        const lines = Array.from({ length: 10 }, () => line);
        const started = process.cpuUsage();
        const parts = await colored(syntax, lines.join('\n'));
        const { user } = process.cpuUsage(started);

        expect(parts.map(({ text }) => text).join('')).toBe(lines.join(''));
        expect(user / 1000, unit).toBeLessThan(1_000);
      }
    },
  );

  test('a line that is too long, and what is too much, has no colors', async () => {
    const long = `"${'a'.repeat(400)}"`;
    const parts = await colored('js', `${long}\n${'"a"\n'.repeat(20_000)}`);

    expect(parts[0]).toEqual({ text: long, color: colors.text });
    expect(parts.at(-2)).toEqual({ text: '"a"', color: colors.text });
  });
});
