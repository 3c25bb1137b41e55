import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { mapConcurrently } from '@octavo/client';
import { type ContentChange, maxChanges, maxTitleLength, type Page } from '@octavo/schema';
import { type Api, connect } from '../../packages/cli/src/api.ts';
import { findConnection } from '../../packages/cli/src/connection.ts';
import { explainFailure, Failure } from '../../packages/cli/src/failure.ts';
import { createSpace, listOrganizations } from '../../packages/cli/src/spaces.ts';
import { print, type Terminal, warn } from '../../packages/cli/src/terminal.ts';
import { findFirstTitle } from '../../packages/outline/src/index.ts';

const titleLength = 50;

/** Replays a history file in a new space, with a change request for each commit. Returns the exit code. */
export async function replay(typed: string[], terminal: Terminal): Promise<number> {
  const [file] = typed.filter((argument) => argument !== '--');
  if (file === undefined) {
    warn(
      terminal,
      'Name the history to replay: node scripts/bootstrap.mjs test/replay/main.ts <file.jsonl or .jsonl.gz>',
    );
    return 2;
  }
  return run(file, terminal).catch((error: unknown) => {
    warn(terminal, explainFailure(error));
    return 1;
  });
}

async function run(file: string, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const { start, commits, end } = await readHistory(file);
  const api = connect(await findConnection(terminal.env));
  const organizations = await listOrganizations(api);
  const organization = organizations.find(({ permissions }) => permissions.createContent);
  if (!organization) throw new Failure('You are not allowed to create spaces in any of your organizations.');
  const name = file.replace(/^.*[/\\]/, '').slice(0, titleLength - 'Replay of '.length);
  const space = await createSpace(api, `Replay of ${name}`, organization.id);
  print(terminal, `Space ${space}`);
  const history = new Replay(api, space);
  await history.apply('start', start);
  for (const [index, { commit, changes }] of commits.entries()) {
    await history.apply(`Commit ${commit}`, new Map(changes.map(({ path, content }) => [path, content])));
    if ((index + 1) % 25 === 0 || index + 1 === commits.length)
      warn(terminal, `${index + 1} of ${commits.length} commits`);
  }
  const difference = await findDifference(api, space, end);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(
    terminal,
    `${history.merged} change requests merged, ${history.skipped} skipped, ${end.size} files, ${seconds} s`,
  );
  print(terminal, difference === undefined ? 'The end matches.' : `The end differs. ${difference}`);
  return difference === undefined ? 0 : 1;
}

interface Commit {
  commit: string;
  changes: { path: string; content: string | null }[];
}

/** The texts by path at the start, the commits, and the SHA-256 hashes of the texts by path at the end. */
interface History {
  start: Map<string, string>;
  commits: Commit[];
  end: Map<string, string>;
}

/** Reads a history of one JSON object per line, plain or compressed by gzip. */
async function readHistory(file: string): Promise<History> {
  const bytes = await readFile(file).catch(() => {
    throw new Failure(`The file ${file} cannot be read.`);
  });
  const lines = decode(bytes, file)
    .split('\n')
    .map((line, index) => ({ line, where: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '');
  const values = lines.map(({ line, where }) => ({ where, value: parseLine(line, where) }));
  const [first, last] = [values[0]?.value, values.slice(1).at(-1)?.value];
  if (!first || !isTexts(first.start)) throw new Failure(`The first line of ${file} has no start.`);
  if (!last || !isTexts(last.end)) throw new Failure(`The last line of ${file} has no end, so the file is not whole.`);
  const commits = values.slice(1, -1).map(({ value, where }) => readCommit(value, where));
  return { start: new Map(Object.entries(first.start)), commits, end: new Map(Object.entries(last.end)) };
}

function decode(bytes: Buffer, file: string): string {
  try {
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch {
    throw new Failure(`The file ${file} is neither UTF-8 text nor such text packed by gzip.`);
  }
}

function parseLine(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {}
  throw new Failure(`${where} is not a JSON object.`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

function readCommit({ commit, changes }: Record<string, unknown>, where: string): Commit {
  const isChange = (each: unknown): each is Commit['changes'][number] =>
    isObject(each) && typeof each.path === 'string' && (each.content === null || typeof each.content === 'string');
  if (typeof commit === 'string' && Array.isArray(changes) && changes.every(isChange)) return { commit, changes };
  throw new Failure(`${where} is not a commit with changes of a path and a content.`);
}

const maxBatchBytes = 4 * 1024 * 1024;
const subjectLength = 100;

/** Writes the commits of a history into a space. Each file is a page at the root. */
class Replay {
  merged = 0;
  skipped = 0;
  readonly #api: Api;
  readonly #space: string;
  readonly #pages = new Map<string, string>();

  constructor(api: Api, space: string) {
    this.#api = api;
    this.#space = space;
  }

  /** Merges one commit as a change request. If a path is changed several times, the last change applies. */
  async apply(subject: string, changes: ReadonlyMap<string, string | null>): Promise<void> {
    const changedFiles = [...changes].filter(([path, content]) => content !== null || this.#pages.has(path));
    if (changedFiles.length === 0) {
      this.skipped += 1;
      return;
    }
    const space = { spaceId: this.#space };
    const { id } = await this.#api.createChangeRequest({
      params: space,
      body: { subject: subject.slice(0, subjectLength) },
    });
    const params = { ...space, changeRequestId: id };
    for (const batch of getBatches(changedFiles)) await this.#send(params, batch);
    const { result, conflicts = [] } = await this.#api.mergeChangeRequest({ params });
    if (result !== 'merge') {
      const [first] = conflicts;
      throw new Failure(
        `${subject}: the change request ${id} conflicts: ${first?.title ?? first?.id ?? ''} ${first?.message ?? ''}`,
      );
    }
    this.merged += 1;
  }

  async #send(params: { spaceId: string; changeRequestId: string }, batch: [string, string | null][]): Promise<void> {
    const refs = new Map<string, string>();
    const changes = batch.map(([path, content], index) =>
      this.#change(path, content, { refs, ref: `replay-${index}` }),
    );
    const query = { compat: 'false' } as const;
    const result = await this.#api.updateChangeRequestContent({ params, query, body: { changes } });
    for (const change of 'changes' in result ? result.changes : []) {
      const path = change.object === 'created_page' && change.ref !== undefined ? refs.get(change.ref) : undefined;
      if (path !== undefined && change.object === 'created_page') this.#pages.set(path, change.page.id);
    }
  }

  #change(
    path: string,
    content: string | null,
    { refs, ref }: { refs: Map<string, string>; ref: string },
  ): ContentChange {
    const page = this.#pages.get(path);
    if (content === null) {
      this.#pages.delete(path);
      return { operation: 'delete_page', page: page ?? '' };
    }
    const document = { markdown: content };
    if (page !== undefined) return { operation: 'update_page', page, document };
    refs.set(ref, path);
    const title = findFirstTitle(path.slice(-maxTitleLength));
    return { operation: 'insert_page', ref, document, title, git: { path } };
  }
}

function getBatches(changes: [string, string | null][]): [string, string | null][][] {
  const batches: [string, string | null][][] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change));
    const last = batches.at(-1);
    bytes += size;
    if (last && last.length < maxChanges && bytes <= maxBatchBytes) last.push(change);
    else {
      batches.push([change]);
      bytes = size;
    }
  }
  return batches;
}

const readsAtATime = 8;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the first difference, in the order of paths, between the pages and the expected texts. */
async function findDifference(
  api: Api,
  spaceId: string,
  end: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { pages } = await api.listPages({ params: { spaceId } });
  const hashesByPath = new Map<string, string>();
  await mapConcurrently(pages, readsAtATime, async (listed: Page) => {
    const page = await api.getPageById({ params: { spaceId, pageId: listed.id } });
    if (page.type !== 'document') return;
    const path = page.git?.path ?? `(page ${page.id} without a path)`;
    hashesByPath.set(hashesByPath.has(path) ? `${path} (a second page)` : path, sha256(page.markdown ?? ''));
  });
  const path = [...new Set([...end.keys(), ...hashesByPath.keys()])]
    .sort()
    .find((each) => end.get(each) !== hashesByPath.get(each));
  if (path === undefined) return undefined;
  return `${path}: expected ${end.get(path) ?? 'no page'}, found ${hashesByPath.get(path) ?? 'no page'}`;
}
