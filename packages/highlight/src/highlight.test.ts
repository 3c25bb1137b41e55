import { describe, expect, test } from 'vitest';
import { type CodeToken, createCodeReader } from './highlight.ts';
import { languages } from './languages.ts';

function read(syntax: string, code: string): CodeToken[] {
  const reader = createCodeReader(syntax);
  if (reader === undefined) throw new Error(`Nothing reads ${syntax}.`);
  return code.split('\n').flatMap((line) => reader.highlightLine(line));
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

test.each(samples)('highlights %s', (syntax, code, words) => {
  const parts = read(syntax, code);
  const highlightedTexts = parts.filter(({ kind }) => kind !== undefined).map(({ text }) => text.trim());

  expect(highlightedTexts).toEqual(expect.arrayContaining(words));
});

test('highlights special variables as properties', () => {
  expect(read('ruby', '$a = b')).toContainEqual({ text: '$a', kind: 'property' });
});

test('a comment continues over several lines', () => {
  expect(read('js', '/* a\n\nb */ c')).toEqual([
    { text: '/* a', kind: 'comment' },
    { text: '' },
    { text: 'b */', kind: 'comment' },
    { text: ' c' },
  ]);
});

test.each([
  ['sh', '$😀 a'],
  ['js', '"\\😀" 😀'],
])('tokens in %s never split a character: %s', (syntax, code) => {
  const parts = read(syntax, code);

  expect(parts.map(({ text }) => text).join('')).toBe(code);
  expect(parts.every(({ text }) => text.isWellFormed())).toBe(true);
});

test.each(['', 'mermaid', '__proto__', 'constructor', '{1,3}', 'x'.repeat(1_000)])(
  'does not highlight code in the language %j',
  (syntax) => {
    expect(createCodeReader(syntax)).toBeUndefined();
  },
);

describe('hostile code in every language', () => {
  const hostile = ['(', '"', '/*', '<a ', '] ', '`${', '\\', '$(', 'var a; '];

  test.each([...new Set(languages.values())].map((parser) => [parser.name ?? 'xml', parser]))(
    'highlights %s quickly',
    (_name, parser) => {
      const [syntax = ''] = [...languages].find(([, each]) => each === parser) ?? [];
      for (const unit of hostile) {
        const line = unit.repeat(Math.floor(400 / unit.length));
        const lines = Array.from({ length: 10 }, () => line);
        const started = process.cpuUsage();
        const parts = read(syntax, lines.join('\n'));
        const { user } = process.cpuUsage(started);

        expect(parts.map(({ text }) => text).join('')).toBe(lines.join(''));
        expect(user / 1000, unit).toBeLessThan(1_000);
      }
    },
  );

  test('leaves long lines and oversized code plain', () => {
    const long = `"${'a'.repeat(400)}"`;
    const parts = read('js', `${long}\n${'"a"\n'.repeat(20_000)}`);

    expect(parts[0]).toEqual({ text: long });
    expect(parts.at(-2)).toEqual({ text: '"a"' });
  });
});
