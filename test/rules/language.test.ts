import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Phrases that docs/vocabulary.md replaces by a standard term, with that term. */
const phrases: [RegExp, string][] = [
  [/^(?:What|Where|Who|Whom|How|All that|Of an?|Into|By which) /, 'a noun phrase or a verb at the start'],
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
  [/\b(?:whoever|somebody)\b/i, 'the caller, another user'],
];

const findPhrases = (text: string): string[] => phrases.filter(([phrase]) => phrase.test(text)).map(([, term]) => term);

interface Comment {
  line: number;
  /** The text without code. */
  text: string;
  /** The names in camel case that it quotes as code. */
  names: string[];
}

/** Returns the positions of all comments of a file, in order. */
function findComments({ text, tree }: Source): ts.CommentRange[] {
  const starts = new Set([...getNodes(tree)].map((node) => node.getFullStart()));
  const ranges = new Map<number, ts.CommentRange>();
  for (const start of starts)
    for (const range of ts.getLeadingCommentRanges(text, start) ?? []) ranges.set(range.pos, range);
  return [...ranges.values()].toSorted((a, b) => a.pos - b.pos);
}

const getComments = ({ text, tree }: Source, ranges: ts.CommentRange[]): Comment[] =>
  ranges.map(({ pos, end }) => ({
    line: tree.getLineAndCharacterOfPosition(pos).line + 1,
    names: Array.from(text.slice(pos, end).matchAll(/`([a-z]+[A-Z]\w*)`/g), ([, name = '']) => name),
    text: text
      .slice(pos, end)
      .replace(/^(?:\/\*\*?|\/\/)\s*|\s*\*\/$/g, '')
      .replace(/\n\s*\*\s?/g, ' ')
      .replace(/`[^`]*`/g, '')
      .trim(),
  }));

/** Returns the words of a file outside of comments. */
const getWords = ({ text }: Source, ranges: ts.CommentRange[]): string[] =>
  [0, ...ranges.map(({ end }) => end)].flatMap((end, index) => text.slice(end, ranges[index]?.pos).split(/\W+/));

const testFunctions: ReadonlySet<string> = new Set(['test', 'describe']);

/** Returns the names of the tests and groups in a file. */
function getTestNames({ tree }: Source): string[] {
  return [...getNodes(tree)].flatMap((node) => {
    if (!ts.isCallExpression(node)) return [];
    const [name] = node.arguments;
    const [callee = ''] = node.expression.getText(tree).split(/\W/, 1);
    return name !== undefined && ts.isStringLiteralLike(name) && testFunctions.has(callee) ? [name.text] : [];
  });
}

/** Names that say nothing about the action of a function. */
const notVerbs: ReadonlySet<string> = new Set([
  ...['of', 'by', 'for', 'in', 'to'],
  ...['asked', 'drawn', 'edited', 'found', 'given', 'known', 'made', 'opened', 'published', 'shown', 'signed', 'taken'],
  ...['told', 'wanted'],
  ...['body', 'keys', 'markdown', 'node', 'page', 'pages', 'paragraph', 'paths', 'rows', 'words'],
]);

const sources = getSources('packages', 'workers', 'scripts', 'integrations');
const isTest = ({ path }: Source): boolean => path.endsWith('.test.ts') || path.endsWith('.test.tsx');
const commentsBySource = new Map([...sources, ...getSources('test')].map((source) => [source, findComments(source)]));

describe('plain English', () => {
  test('code comments mention only existing names', () => {
    const names = new Set(sources.flatMap((source) => getWords(source, commentsBySource.get(source) ?? [])));
    const missing = sources.flatMap((source) =>
      getComments(source, commentsBySource.get(source) ?? []).flatMap(({ line, names: quoted }) =>
        quoted.filter((name) => !names.has(name)).map((name) => `${source.path}:${line}: ${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('code comments use the terms of docs/vocabulary.md', () => {
    const violations = [...commentsBySource].flatMap(([source, ranges]) =>
      getComments(source, ranges).flatMap(({ line, text }) =>
        findPhrases(text).map((term) => `${source.path}:${line}: "${term}" instead in: ${text}`),
      ),
    );

    expect(violations).toEqual([]);
  });

  test('test names use the terms of docs/vocabulary.md', () => {
    const tests = [...sources.filter(isTest), ...getSources('test').filter(isTest)];
    const names = tests.flatMap((source) => getTestNames(source).map((name) => ({ name, path: source.path })));
    const violations = names.flatMap(({ name, path: file }) =>
      findPhrases(name).map((term) => `${file}: "${term}" instead in: ${name}`),
    );

    expect(names.length).toBeGreaterThan(4000);
    expect(violations).toEqual([]);
  });

  test('comments in configurations, styles and shell scripts use the terms of docs/vocabulary.md', () => {
    const files = globSync(
      ['*.toml', 'workers/*/*.toml', 'packages/reader/styles/**/*.css', 'scripts/*.{mjs,sh}', 'deploy/*'],
      { cwd: root },
    );
    const violations = files.flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const comment = /^\s*(?:#|--|\/\/|\/?\*+) (.*)$/.exec(line)?.[1] ?? '';
          return findPhrases(comment).map((term) => `${file}:${index + 1}: "${term}" instead in: ${comment}`);
        }),
    );

    expect(files.length).toBeGreaterThan(25);
    expect(violations).toEqual([]);
  });

  test('documents use the terms of docs/vocabulary.md', () => {
    const files = globSync(['README.md', 'docs/**/*.md', 'integrations/*/README.md'], { cwd: root });
    const violations = files
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

    expect(violations).toEqual([]);
  });

  test('commands in the guides contain no angle-bracket placeholders, which a shell would treat as redirections', () => {
    const violations = globSync(['README.md', 'docs/{get-started,guides}/*.md'], { cwd: root }).flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
      const inline = [...text.matchAll(/`((?:npx )?octavo [^`\n]+)`/g)].map(([, command = '']) => command);
      return [...blocks, ...inline]
        .filter((line) => /(?:^|[ =])<[a-z][a-z -]*>/.test(line))
        .map((line) => `${file}: ${line}`);
    });

    expect(violations).toEqual([]);
  });

  test('names of functions are verbs, neither `xOf` nor a preposition or a participle', () => {
    const violations = [...sources, ...getSources('test')].flatMap((source) =>
      [...getNodes(source.tree)]
        .filter(isFunctionDeclaration)
        .map(({ name }) => name.text.replace('#', ''))
        .filter((name) => (/[a-z]Of$/.test(name) && !/^(?:is|has|can)[A-Z]/.test(name)) || notVerbs.has(name))
        .map((name) => `${source.path}: ${name}`),
    );

    expect(violations).toEqual([]);
  });
});

function isFunctionDeclaration(
  node: ts.Node,
): node is (ts.FunctionDeclaration | ts.MethodDeclaration | ts.VariableDeclaration) & { name: ts.Identifier } {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.name !== undefined && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name));
  return (
    ts.isVariableDeclaration(node) &&
    ts.isIdentifier(node.name) &&
    node.initializer !== undefined &&
    ts.isArrowFunction(node.initializer)
  );
}
