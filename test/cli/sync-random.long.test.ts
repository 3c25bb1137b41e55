import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, octavo, readMarkdown } from './octavo.ts';
import { World } from './sync-world.ts';

/**
 * Total number of rounds, divided among worlds (a repository and a space each) that run concurrently. Override with
 * OCTAVO_SYNC_ROUNDS, such as OCTAVO_SYNC_ROUNDS=200.
 */
const rounds = Number(process.env.OCTAVO_SYNC_ROUNDS ?? 8);
const worlds = Math.min(4, Math.ceil(rounds / 4));
const milliseconds = 60_000 + rounds * 5_000;

interface Conflict {
  id: string;
  kind: string;
  field: string;
}

interface Report {
  undecided: { id: string; conflicts: Conflict[] }[];
  changeRequests: { id: string; conflicts: Conflict[] }[];
  problems: { path: string; kind: string }[];
  waits?: string;
}

const shared = new Set(['SUMMARY.md', '.gitbook/vars.yaml']);
const getOid = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

class Round {
  readonly #world: World;
  readonly #env: Record<string, string>;

  constructor(world: World) {
    this.#world = world;
    this.#env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: world.space.token };
  }

  #at = (rest: string): string => `/v1/spaces/${this.#world.space.id}${rest}`;

  async sync(): Promise<Report & { stderr: string }> {
    const { space, git } = this.#world;
    const { stdout, stderr } = await octavo(this.#env, 'sync', git.folder, '--space', space.id, '--json');
    expect(stdout, stderr).not.toBe('');
    return { ...(JSON.parse(stdout) as Report), stderr };
  }

  /** Edits either or both sides at random, syncs them and resolves the conflicts. */
  async run(): Promise<void> {
    const world = this.#world;
    world.begin();
    const what = world.drawBelow(4);
    if (what !== 1) await world.commit();
    if (what !== 2) for (let times = 1 + world.drawBelow(3); times > 0; times -= 1) await world.edit();
    const before = new Map(world.files);
    const report = await this.sync();
    world.log.push(JSON.stringify(report.changeRequests));
    expect(report.waits).toBeUndefined();
    expect(report.problems.filter(({ kind, path }) => kind === 'failed' && path !== 'latin.md')).toEqual([]);
    world.files = await world.git.read();
    for (const [path, bytes] of before)
      if (!world.isTouched(path) && !shared.has(path))
        expect([path, world.files.get(path)?.toString('latin1')]).toEqual([path, bytes.toString('latin1')]);
    for (const each of report.undecided) await this.#decide(each, report);
    if (report.undecided.length > 0) {
      await this.sync();
      world.files = await world.git.read();
    }
    const text = [...world.files.values()].join('\n');
    expect(world.alive.filter((word) => !text.includes(word))).toEqual([]);
    await this.#checkSpace();
  }

  /** Archives the change request with the conflicts, or merges it with the content of the repository. */
  async #decide({ id }: { id: string }, { changeRequests }: Report): Promise<void> {
    const { space } = this.#world;
    const conflicts = changeRequests.find((each) => each.id === id)?.conflicts ?? [];
    expect(conflicts).not.toEqual([]);
    for (const { id: node, kind } of conflicts) {
      const what = kind === 'page' ? `page/${node}` : `reusable-contents/${node}`;
      const response = await platform().request(this.#at(`/change-requests/${id}/content/${what}`), space);
      if (response.ok) this.#world.hold(((await response.json()) as { markdown?: string }).markdown ?? '');
      const live = await platform().request(this.#at(`/content/${what}`), space);
      if (live.ok) this.#world.hold(((await live.json()) as { markdown?: string }).markdown ?? '');
    }
    await json(this.#at(`/change-requests/${id}`), { ...space, method: 'PATCH', body: { status: 'archived' } });
  }

  /** Checks that each page, file and reusable content with a path has the same bytes as its file in the repository. */
  async #checkSpace(): Promise<void> {
    interface Node {
      git?: { path: string; oid: string };
      pages?: Node[];
    }
    const { pages, files, reusableContents } = await json<Record<'pages' | 'files' | 'reusableContents', Node[]>>(
      this.#at('/content?computed=false'),
      this.#world.space,
    );
    const flattenNodes = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...flattenNodes(node.pages ?? [])]);
    for (const { git } of [...flattenNodes(pages), ...files, ...reusableContents]) {
      const bytes = git && this.#world.files.get(git.path);
      if (git && git.path !== 'latin.md' && !shared.has(git.path))
        expect([git.path, bytes && getOid(bytes)]).toEqual([git.path, git.oid]);
    }
  }

  /** Checks that an export equals the repository and that another sync changes nothing. */
  async end(): Promise<void> {
    const { space, files } = this.#world;
    const out = await createTemporaryFolder();
    await octavo(this.#env, 'export', space.id, out);
    const { 'SUMMARY.md': _, ...exported } = await readMarkdown(out);
    const there = Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString('latin1')]));
    for (const [path, text] of Object.entries(exported))
      if (path in there) expect([path, there[path]]).toEqual([path, text]);
    expect(await this.sync()).toMatchObject({ changeRequests: [], commits: [], undecided: [] });
  }
}

test(
  'random commits and edits on both sides converge, and no content outside of conflicts is lost',
  async () => {
    const size = Math.ceil(rounds / worlds);
    const all = await Promise.all(
      Array.from({ length: worlds }, async (_, index) =>
        World.make(await platform().makeSpace(), { index, rounds: size }),
      ),
    );
    await Promise.all(
      all.map(async (world) => {
        const round = new Round(world);
        await round.sync();
        world.files = await world.git.read();
        try {
          for (let count = 0; count < size; count += 1) await round.run();
          await round.end();
        } catch (error) {
          throw new Error(`${error}\n${world.log.slice(-60).join('\n')}`, { cause: error });
        }
      }),
    );
  },
  milliseconds,
);
