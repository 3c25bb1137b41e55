import type { LiveMessage, Presence } from '@octavo/schema';
import { beforeEach, expect, test, vi } from 'vitest';
import { createMemoryDatabase } from '../../../../test/support/memory-database.ts';
import { LiveRoom } from './live-room.ts';

const [open, closed] = [1, 3];

beforeEach(() => void vi.stubGlobal('WebSocket', { READY_STATE_OPEN: open }));

/** Returns a room of a space with two editors. Each call of `runNextQuery` runs one query. */
function createRoom() {
  const database = createMemoryDatabase();
  database.exec(`
    INSERT INTO organizations (id, title, created_at) VALUES ('org', 'A', 1);
    INSERT INTO users (id, email, display_name, created_at) VALUES ('usr_1', '1@x', '1', 1), ('usr_2', '2@x', '2', 1);
    INSERT INTO members (organization, user, role, joined_at) VALUES ('org', 'usr_1', 'edit', 1), ('org', 'usr_2', 'edit', 1);
    INSERT INTO spaces (id, organization, title, emoji, created_by, created_at, updated_at) VALUES ('space', 'org', '', '', '', 1, 1);
    INSERT INTO tokens (id, user, label, hash, scopes, created_at)
      VALUES ('tok_1', 'usr_1', '', '1', '[]', 1), ('tok_2', 'usr_2', '', '2', '[]', 1);`);
  const queries: (() => void)[] = [];
  const prepare = (sql: string) => ({
    bind: (...values: string[]) => ({
      async all() {
        await new Promise<void>((resolve) => queries.push(resolve));
        return { results: database.prepare(sql).all(...values), meta: {} };
      },
    }),
  });
  const sockets: FakeSocket[] = [];
  const room = new LiveRoom({ getWebSockets: () => sockets } as never, { OCTAVO_SECRET: '', DB: { prepare } as never });
  /** Lets the next query run, after it was started. */
  const runNextQuery = async () => {
    await vi.waitFor(() => expect(queries).toHaveLength(1));
    queries.shift()?.();
  };
  return { room, sockets, runNextQuery };
}

class FakeSocket {
  readyState = open;
  messages: LiveMessage[] = [];
  #attachment: object;

  constructor(number: number, presence: Presence | null) {
    const [user, token] = [`usr_${number}`, `tok_${number}`];
    this.#attachment = { space: 'space', id: `connection_${number}`, user, token, opened: 0, presence, seen: 0 };
  }

  deserializeAttachment = () => this.#attachment;
  serializeAttachment = (attachment: object) => {
    this.#attachment = attachment;
  };
  send = (message: string) => this.messages.push(JSON.parse(message));
  close = vi.fn();
}

const createPresence = (changeRequest: string) => ({ changeRequest, page: 'page' }) as unknown as Presence;

const createPresenceMessage = (presence: Presence | null) => ({
  ...{ type: 'presence', participant: 'connection_1', user: 'usr_1' },
  presence,
});

test('does not announce the presence of a connection that closes while its access is checked', async () => {
  const { room, sockets, runNextQuery } = createRoom();
  const [closing, first, second] = [
    new FakeSocket(1, createPresence('one')),
    new FakeSocket(2, createPresence('one')),
    new FakeSocket(2, createPresence('two')),
  ];
  sockets.push(closing, first, second);

  const received = room.receive(
    closing as never,
    JSON.stringify({ type: 'presence', presence: createPresence('two') }),
  );
  closing.readyState = closed;
  const left = room.leave(closing as never);
  await runNextQuery();
  await Promise.all([received, left]);

  expect(first.messages).toEqual([createPresenceMessage(null)]);
  expect(second.messages).toEqual([]);
});

test('does not announce the presence of a connection that closes while the access of others is checked', async () => {
  const { room, sockets, runNextQuery } = createRoom();
  const closing = new FakeSocket(1, createPresence('one'));
  sockets.push(closing);

  const received = room.receive(
    closing as never,
    JSON.stringify({ type: 'presence', presence: createPresence('two') }),
  );
  const [first, second] = [new FakeSocket(2, createPresence('one')), new FakeSocket(2, createPresence('two'))];
  sockets.push(first, second);
  await runNextQuery();
  await vi.waitFor(() => expect(closing.deserializeAttachment()).toMatchObject({ presence: createPresence('two') }));
  closing.readyState = closed;
  const left = room.leave(closing as never);
  await runNextQuery();
  await Promise.all([received, left]);

  expect(first.messages).toEqual([createPresenceMessage(null)]);
  expect(second.messages).toEqual([createPresenceMessage(null)]);
});
