import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCommandLine, createTemporaryFolder, findSpaceId, runInProcess } from '../cli/octavo.ts';
import { json } from '../support/content.ts';
import { runScript } from '../support/own-platform.ts';
import { replay } from './replay.ts';

type Texts = Record<string, string>;
type Change = [path: string, content: string | null];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const commit = (name: string, ...changes: Change[]) => ({
  commit: name,
  changes: changes.map(([file, content]) => ({ path: file, content })),
});
const getEnd = (texts: Texts) => ({
  end: Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, sha256(text)])),
});

async function getFile(content: string | Uint8Array, name = 'history.jsonl'): Promise<string> {
  const file = path.join(await createTemporaryFolder(), name);
  await writeFile(file, content);
  return file;
}

const getLines = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Makes a user who replays histories into the shared platform. */
async function createReplayer() {
  const { env, organization, token } = await createCommandLine();
  return {
    organization,
    token,
    replayFile: (file: string) => runInProcess((terminal) => replay([file], terminal), env),
  };
}

/** Replays a history, checks that the final texts match, and returns the output. */
async function replayHistory(start: Texts, commits: object[], end: Texts): Promise<string> {
  const { replayFile, token } = await createReplayer();
  const { code, stdout, stderr } = await replayFile(await getFile(getLines({ start }, ...commits, getEnd(end))));
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining('The end matches.') });
  const { pages } = await json<{ pages: { git?: { path: string } }[] }>(
    `/v1/spaces/${findSpaceId(stdout)}/content/pages`,
    {
      token,
    },
  );
  expect(pages.map(({ git }) => git?.path).sort()).toEqual(Object.keys(end).sort());
  return stdout;
}

test('handles folders, names that differ only in case, empty files, CRLF, byte order marks, and missing final newlines', async () => {
  const texts = {
    'a.md': '',
    'A.md': '\r\n',
    'src/a.md': '\ufeff# É\r\ntwo\rthree\n\n',
    'src/A.MD': 'no newline',
    'src/deep/er/a b#c?.md': '\0\u2028 \ud83d\ude00\t',
    '../up.md': 'x',
    ...Object.fromEntries([['__proto__', 'y']]),
    readme: '   ',
  };
  const changed = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, `${text}more`]));
  const changes = Object.entries(changed);
  expect(await replayHistory(texts, [commit('1', ...changes)], changed)).toContain(
    '2 change requests merged, 0 skipped, 8 files',
  );
});

test('handles deletions and re-additions, renames with the same content and swapped names', async () => {
  const start = { 'a.md': 'one', 'b.md': 'two', 'README.md': 'three' };
  const commits = [
    commit('delete', ['a.md', null]),
    commit('again', ['a.md', 'one']),
    commit('rename', ['b.md', null], ['c/b.md', 'two']),
    commit('rename, the other way round', ['b.md', 'two'], ['c/b.md', null]),
    commit('case', ['README.md', null], ['readme.md', 'three']),
    commit('swap', ['a.md', 'two'], ['b.md', 'one']),
    commit('all', ['a.md', null], ['b.md', null], ['readme.md', null]),
    commit('back', ['b.md', 'two'], ['a.md', 'one']),
    commit('twice', ['a.md', null], ['a.md', 'last'], ['x.md', 'x'], ['x.md', null]),
  ];
  expect(await replayHistory(start, commits, { 'a.md': 'last', 'b.md': 'two' })).toContain('10 change requests merged');
});

test('treats a path with control characters or only white space as a page', async () => {
  const texts = { 'a\tb.md': 'a', ' ': 'b', '\u0001': 'c', 'src/x y.txt': '' };
  expect(await replayHistory({}, [commit('1', ...Object.entries(texts))], texts)).toContain('1 change requests merged');
});

test('handles an empty start, an empty commit, and a change to an identical text', async () => {
  const commits = [
    commit('none'),
    commit('gone', ['a.md', null]),
    commit('new', ['a.md', 'a']),
    commit('same', ['a.md', 'a']),
  ];
  expect(await replayHistory({}, commits, { 'a.md': 'a' })).toContain('2 change requests merged, 3 skipped, 1 files');
});

test('handles frontmatter whose slug or title conflicts with another file', async () => {
  const createPage = (words: string) => `---\ntitle: Same\nslug: same\n---\n${words}\n`;
  const start = { 'a.md': createPage('a'), 'b.md': createPage('b'), same: 'no frontmatter' };
  const commits = [
    commit('more', ['c.md', createPage('c')], ['same.md', 'plain']),
    commit('rename', ['d.md', createPage('a')], ['a.md', null]),
    commit('rename, the other way round', ['b.md', null], ['e.md', createPage('b')]),
    commit('into', ['same.md', createPage('plain')], ['c.md', '---\nslug: same-2\n---\n']),
    commit('delete', ['c.md', null], ['d.md', null]),
    commit('back', ['c.md', createPage('c')], ['d.md', createPage('d')]),
    commit('swap', ['c.md', '---\nslug: d-md\n---\n'], ['d.md', '---\nslug: c-md\n---\n']),
  ];
  const end = {
    same: 'no frontmatter',
    'same.md': createPage('plain'),
    'e.md': createPage('b'),
    'c.md': '---\nslug: d-md\n---\n',
    'd.md': '---\nslug: c-md\n---\n',
  };
  expect(await replayHistory(start, commits, end)).toContain('8 change requests merged');
});

test('imports a commit with more changes than one batch as a single change request', async () => {
  const createTexts = (words: string) =>
    Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`src/${index}.md`, `${words} ${index}\n`]));
  const moved = Object.entries(createTexts('moved')).map(([file, text]) => [`new/${file}`, text] as const);
  const commits = [
    commit('edit', ...Object.entries(createTexts('second'))),
    commit(
      'move',
      ...moved.flatMap(([file, text]): Change[] => [
        [file, text],
        [file.slice('new/'.length), null],
      ]),
    ),
  ];
  expect(await replayHistory(createTexts('first'), commits, Object.fromEntries(moved))).toContain(
    '3 change requests merged',
  );
});

test('detects a compressed history by its content, not by its file name', async () => {
  const { replayFile } = await createReplayer();
  const packed = gzipSync(getLines({ start: { 'a.md': 'a' } }, getEnd({ 'a.md': 'a' })));
  for (const name of ['history.jsonl.gz', 'history.jsonl']) {
    expect(await replayFile(await getFile(packed, name))).toMatchObject({ code: 0 });
  }
});

test.each<[string, Texts, string]>([
  ['has another text', { 'a.md': 'a', 'b.md': 'else' }, `b.md: expected ${sha256('else')}, found ${sha256('b')}`],
  ['has a missing file', { 'a.md': 'a' }, `b.md: expected no page, found ${sha256('b')}`],
  ['has an additional file', { 'a.md': 'a', 'b.md': 'b', 'c.md': '' }, `c.md: expected ${sha256('')}, found no page`],
])('a final state that %s exits with code 1 and names the path', async (_, end, sentence) => {
  const { replayFile } = await createReplayer();
  const { code, stdout } = await replayFile(
    await getFile(getLines({ start: { 'a.md': 'a', 'b.md': 'b' } }, getEnd(end))),
  );
  expect(stdout).toMatch(/^Space spc_\w+$/m);
  expect(stdout).toContain(`The end differs. ${sentence}\n`);
  expect(code).toBe(1);
});

const whole = getLines({ start: { 'a.md': 'a' } }, commit('1', ['a.md', 'b']), getEnd({ 'a.md': 'b' }));
const packed = gzipSync(whole);

test.each<[string, string | Uint8Array, RegExp]>([
  ['is truncated within a line', whole.slice(0, -20), /line 3 is not a JSON object/],
  ['is truncated after a line', whole.slice(0, whole.lastIndexOf('{"end"')), /last line of \S+ has no end/],
  [
    'is compressed and truncated',
    packed.subarray(0, packed.length - 12),
    /neither UTF-8 text nor such text packed by gzip/,
  ],
  ['is not JSON', '# A heading\n', /line 1 is not a JSON object/],
  ['has a blank line before an invalid one', whole.replace('\n', '\n\n{\n'), /line 3 is not a JSON object/],
  ['is empty', '', /first line of \S+ has no start/],
  ['has one line that is both start and end', getLines({ start: {}, end: {} }), /has no end/],
  ['is not UTF-8', Uint8Array.of(0x7b, 0xff), /neither UTF-8 text/],
  ['has a commit without changes', getLines({ start: {} }, { commit: '1' }, { end: {} }), /line 2 is not a commit/],
])('reports one sentence and creates no space if the file %s', async (_, content, sentence) => {
  const { replayFile, organization, token } = await createReplayer();
  const { code, stdout, stderr } = await replayFile(await getFile(content));
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const { items } = await json<{ items: unknown[] }>(`/v1/orgs/${organization}/spaces`, { token });
  expect(items).toEqual([]);
});

test('prints the usage and exits with 2 if no file is named', async () => {
  const { code, stderr } = await runScript(['test/replay/main.ts']);
  expect(stderr).toBe(
    'Name the history to replay: node scripts/bootstrap.mjs test/replay/main.ts <file.jsonl or .jsonl.gz>\n',
  );
  expect(code).toBe(2);
});
