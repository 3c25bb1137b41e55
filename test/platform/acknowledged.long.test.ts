import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { SpaceClient } from '../content/space-client.ts';
import { getClient, insertPage, writePage } from '../content/space-client.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import { drawValues } from '../support/random.ts';

/** The number of runtime restarts within ten minutes after which the server itself must be restarted. */
const RUNTIME_RESTARTS = 5;
const TEST_LIMIT_MILLISECONDS = 900_000;

type Target = 'workerd' | 'group';

let server: OwnPlatform | undefined;
afterEach(async () => {
  await server?.remove();
  server = undefined;
});

interface Writer {
  write(nth: number): Promise<number>;
  /** Returns the written numbers that can be read back. */
  read(): Promise<number[]>;
}

const readNumber = (text = ''): number => Number(/\d+/.exec(text)?.[0]);

/** Creates writers that store numbers as pages, comments, spaces, and as the text of one page that is overwritten. */
async function createWriters(own: OwnPlatform): Promise<Writer[]> {
  const { token, organization } = own;
  const { id } = await own.makeSpace({ organization: { id: organization, title: '', user: '', token } });
  const space: SpaceClient = getClient(own, { id, token });
  const [page = ''] = await space.change([insertPage('Written over')]);
  const post = async (path: string, body: object) => (await own.request(path, { token, body })).status;
  const readItems = async <Item>(path: string) =>
    ((await (await own.request(`${path}?limit=1000`, { token })).json()) as { items: Item[] }).items;
  const comments = `/v1/spaces/${id}/comments`;
  const spaces = `/v1/orgs/${organization}/spaces`;
  return [
    {
      write: async (nth) => (await space.edit([insertPage(`Page ${nth}`)])).status,
      read: async () => (await space.pages()).slice(1).map(({ title }) => readNumber(title)),
    },
    {
      write: (nth) => post(comments, { body: { markdown: `Comment ${nth}` } }),
      read: async () =>
        (await readItems<{ body: { markdown: string } }>(comments)).map(({ body }) => readNumber(body.markdown)),
    },
    {
      write: (nth) => post(spaces, { title: `Space ${nth}` }),
      read: async () => (await readItems<{ title: string }>(spaces)).map(({ title }) => readNumber(title)),
    },
    {
      write: async (nth) => (await space.edit([writePage(page, `Text ${nth}\n`)])).status,
      read: async () => {
        const last = readNumber((await space.page(page)).markdown);
        return Array.from({ length: last + 1 }, (_, nth) => nth);
      },
    },
  ];
}

/**
 * Writes with all writers until the server is killed. Returns the acknowledged numbers of each writer. When a writer
 * sends its next request, the server may already be running again.
 */
async function writeUntilKilled(writers: Writer[], from: number, onAcknowledged: () => boolean): Promise<number[][]> {
  return Promise.all(
    writers.map(async ({ write }) => {
      const acknowledged: number[] = [];
      for (let nth = from; ; nth += 1) {
        const status = await write(nth).catch(() => undefined);
        if (status === undefined || status >= 500) return acknowledged;
        expect(status).toBeLessThan(300);
        acknowledged.push(nth);
        if (onAcknowledged()) return acknowledged;
      }
    }),
  );
}

/** Calls `kill` on acknowledgement number `count`. The returned function is true from then on. */
function killAt(count: number, kill: () => void): () => boolean {
  let left = count;
  return () => {
    left -= 1;
    if (left === 0) kill();
    return left <= 0;
  };
}

async function isServerUp(own: OwnPlatform): Promise<true | undefined> {
  const response = await own.request('/v1/user', { token: own.token }).catch(() => undefined);
  return response?.status === 200 ? true : undefined;
}

async function killWhileWriting(own: OwnPlatform, target: Target, count: number, writers: Writer[], from: number) {
  const before = await own.getWorkerdPid();
  let ended: Promise<unknown> | undefined;
  const kill = killAt(count, () => {
    if (target === 'workerd') process.kill(before, 'SIGKILL');
    else ended = own.kill('SIGKILL', 'group');
  });
  const acknowledged = await writeUntilKilled(writers, from, kill);
  await ended;
  if (target === 'group') await own.restart();
  else await until(async () => (await own.getWorkerdPid().catch(() => before)) !== before || undefined);
  await until(() => isServerUp(own));
  return acknowledged;
}

test.each<[Target, number]>([
  ['workerd', 5],
  ['group', 2],
])(
  'nothing acknowledged is lost if %s is killed %i times',
  { timeout: TEST_LIMIT_MILLISECONDS },
  async (target, times) => {
    const own = await startOwnPlatform({ ownGroup: true });
    server = own;
    const counts = drawValues(fc.integer({ min: 1, max: 40 }), times);
    let written = 0;
    for (const [nth, count] of counts.entries()) {
      if (target === 'workerd' && nth > 0 && nth % RUNTIME_RESTARTS === 0) {
        await own.kill('SIGTERM');
        await own.restart();
      }
      const writers = await createWriters(own);
      const acknowledged = await killWhileWriting(own, target, count, writers, written);
      const storedNumbers = await Promise.all(writers.map(({ read }) => read()));
      expect(
        acknowledged.map((numbers, writer) => numbers.filter((each) => !storedNumbers[writer]?.includes(each))),
      ).toEqual([[], [], [], []]);
      written = Math.max(written, ...acknowledged.flat()) + 2;
    }
  },
);
