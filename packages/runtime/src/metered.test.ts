import type { DatabaseBinding } from '@octavo/db';
import type { Bookmark, Metered } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createMeteredService } from './metered.ts';

interface Service {
  read(input: string, bookmark: Bookmark): Promise<Metered<string>>;
  write(input: string): Promise<Metered<string>>;
}

/** Returns a service with a database that records how its sessions start, and whose bookmark is `0-2`. */
function createService() {
  const starts: string[] = [];
  const refuse = () => expect.fail('Nothing is asked.');
  const DB: DatabaseBinding = {
    ...{ prepare: refuse, batch: refuse },
    withSession: (start) => {
      starts.push(start);
      return { ...DB, getBookmark: () => '0-2' };
    },
  };
  class Entrypoint {
    env = { DB, OCTAVO_PUBLIC_URL: 'http://127.0.0.1' };
    ctx = { waitUntil: () => undefined };
  }
  const Class = createMeteredService<Service, never>(Entrypoint as never, {
    reads: { read: (input) => `read ${input}` },
    writes: { write: (input) => `wrote ${input}` },
  });
  return { service: new Class({} as never, {} as never) as unknown as Service, starts };
}

test('a read method uses any replica that has reached the bookmark of the caller', async () => {
  const { service, starts } = createService();

  expect(await service.read('a page', '0-1')).toMatchObject({ value: 'read a page', bookmark: '0-2' });
  expect(starts).toEqual(['0-1']);
});

test('a read method without a bookmark, and a write method, use the primary', async () => {
  const { service, starts } = createService();

  await service.read('a page', null);
  expect(await service.write('a page')).toMatchObject({ value: 'wrote a page' });
  expect(starts).toEqual(['first-primary', 'first-primary']);
});
