import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Phrases that docs/vocabulary.md replaces by a standard term, with that term. */
const phrases: [RegExp, string][] = [
  [/^(?:What|All that|Of an?) /, 'a noun phrase or a verb at the start'],
  [/\banew\b/i, 'again'],
  [/\bgiv(?:es|ing) way to (?:the event loop|others)\b/i, 'yields'],
  [/\b(?:is|are|was|were) told\b/i, 'is reported, logged or returned'],
  [/\b(?:stands|stood) (?:in|at|before|below|beside|there)\b/i, 'is in, precedes'],
  [/\b(?:made|kept) pages?\b/i, 'generated or cached pages'],
  [/\bleads? nowhere\b/i, 'is a broken link'],
  [/\bwhere there (?:is|are) (?:one|none|any)\b/i, 'if there is one'],
  [/\b(?:taken|takes) away\b/i, 'removed'],
  [/\b(?:comes?|brings?|brought) along\b/i, 'is imported, includes'],
  [/\bhand(?:s|ed)? (?:out|over)\b/i, 'forward, dispatch'],
  [/\bsince when\b/i, 'timestamp'],
  [/\bin so many\b/i, 'in chunks of N'],
  [/\ban own (?!property)/i, 'a separate'],
];

const findPhrases = (text: string): string[] => phrases.filter(([phrase]) => phrase.test(text)).map(([, term]) => term);

interface Comment {
  line: number;
  /** The text without code. */
  text: string;
  /** The names in camel case that it quotes as code. */
  names: string[];
}

function getComments({ tree }: Source): Comment[] {
  const text = tree.text;
  const ranges = new Map<number, ts.CommentRange>();
  for (const node of getNodes(tree))
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) ranges.set(range.pos, range);
  return [...ranges.values()].map(({ pos, end }) => ({
    line: tree.getLineAndCharacterOfPosition(pos).line + 1,
    names: Array.from(text.slice(pos, end).matchAll(/`([a-z]+[A-Z]\w*)`/g), ([, name = '']) => name),
    text: text
      .slice(pos, end)
      .replace(/^(?:\/\*\*?|\/\/)\s*|\s*\*\/$/g, '')
      .replace(/\n\s*\*\s?/g, ' ')
      .replace(/`[^`]*`/g, '')
      .trim(),
  }));
}

const sources = getSources('packages', 'workers', 'scripts', 'integrations');
const isTest = ({ path }: Source): boolean => path.endsWith('.test.ts') || path.endsWith('.test.tsx');
const production = sources.filter((source) => !isTest(source));

describe('plain English', () => {
  test('code comments mention only existing names', () => {
    const names = new Set(
      sources.flatMap(({ tree }) =>
        [...getNodes(tree)].flatMap((node) =>
          ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node)
            ? node.text.split(/\W+/)
            : [],
        ),
      ),
    );
    const missing = sources.flatMap((source) =>
      getComments(source).flatMap(({ line, names: quoted }) =>
        quoted.filter((name) => !names.has(name)).map((name) => `${source.path}:${line}: ${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('code comments use the terms of docs/vocabulary.md', () => {
    const found = production.flatMap((source) =>
      getComments(source).flatMap(({ line, text }) =>
        findPhrases(text).map((term) => `${source.path}:${line}: "${term}" instead in: ${text}`),
      ),
    );

    expect(found).toEqual([]);
  });

  test('comments in configurations, styles and shell scripts use the terms of docs/vocabulary.md', () => {
    const files = globSync(
      ['*.toml', 'workers/*/*.toml', 'packages/reader/styles/**/*.css', 'scripts/*.{mjs,sh}', 'deploy/*'],
      { cwd: root },
    );
    const found = files.flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const comment = /^\s*(?:#|--|\/\/|\/?\*+) (.*)$/.exec(line)?.[1] ?? '';
          return findPhrases(comment).map((term) => `${file}:${index + 1}: "${term}" instead in: ${comment}`);
        }),
    );

    expect(files.length).toBeGreaterThan(25);
    expect(found).toEqual([]);
  });

  test('documents use the terms of docs/vocabulary.md', () => {
    const files = globSync(['README.md', 'docs/**/*.md', 'integrations/*/README.md'], { cwd: root });
    const found = files
      .filter((file) => file !== 'docs/vocabulary.md')
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, (code) =>
          code.replace(/[^\n]/g, ''),
        );
        return text.split('\n').flatMap((line, index) => {
          const isHeading = line.startsWith('#') || line.startsWith('- [') || line.startsWith('|');
          return findPhrases(isHeading ? ` ${line}` : line.replace(/`[^`]*`/g, '')).map(
            (term) => `${file}:${index + 1}: "${term}" instead in: ${line}`,
          );
        });
      });

    expect(found).toEqual([]);
  });

  test('commands in the guides contain no angle-bracket placeholders, which a shell would treat as redirections', () => {
    const found = globSync(['README.md', 'docs/{get-started,guides}/*.md'], { cwd: root }).flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
      const inline = [...text.matchAll(/`((?:npx )?octavo [^`\n]+)`/g)].map(([, command = '']) => command);
      return [...blocks, ...inline]
        .filter((line) => /(?:^|[ =])<[a-z][a-z -]*>/.test(line))
        .map((line) => `${file}: ${line}`);
    });

    expect(found).toEqual([]);
  });

  test('names of functions are verbs, not `xOf`', () => {
    const found = production.flatMap((source) =>
      [...getNodes(source.tree)]
        .filter(isFunctionDeclaration)
        .map(({ name }) => name.text)
        .filter((name) => /[a-z]Of$/.test(name) && !/^(?:is|has|can)[A-Z]/.test(name))
        .map((name) => `${source.path}: ${name}`),
    );

    expect(found).toEqual([]);
  });
});

function isFunctionDeclaration(
  node: ts.Node,
): node is (ts.FunctionDeclaration | ts.VariableDeclaration) & { name: ts.Identifier } {
  if (ts.isFunctionDeclaration(node)) return node.name !== undefined;
  return (
    ts.isVariableDeclaration(node) &&
    ts.isIdentifier(node.name) &&
    node.initializer !== undefined &&
    ts.isArrowFunction(node.initializer)
  );
}
