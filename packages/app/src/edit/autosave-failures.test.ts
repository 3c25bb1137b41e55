import { expect, test } from 'vitest';
import { Autosave } from './autosave.ts';

const createRequestError = (status: number) => Object.assign(new Error(`Status ${status}`), { status });

/** Creates an autosave whose first text is rejected, because others have changed the change request. */
function createRejected(loadFailure: Error) {
  const host = { loadFailure: loadFailure as Error | undefined, retry: undefined as number | undefined };
  const base = { title: 'A', markdown: 'one\n\ntwo\n', revision: 'r1' };
  const server = { ...base, markdown: 'one\n\nzwei\n', revision: 'r2' };
  const autosave = new Autosave(base, {
    send: async (text, revision) => {
      if (revision !== server.revision) throw createRequestError(409);
      Object.assign(server, text);
      return 'r3';
    },
    load: async () => {
      if (host.loadFailure !== undefined) throw host.loadFailure;
      return server;
    },
    store: () => true,
    show: () => undefined,
    onState: () => undefined,
    onMerged: () => undefined,
    wait: (_run, milliseconds) => {
      host.retry = milliseconds;
      return () => {
        host.retry = undefined;
      };
    },
  });
  autosave.change({ title: 'A', markdown: 'eins\n\ntwo\n' });
  return { autosave, host, server };
}

test.each([0, 503])('a text is sent again if the changes of others cannot be loaded: status %i', async (status) => {
  const { autosave, host, server } = createRejected(createRequestError(status));
  await autosave.save();
  expect(autosave.state).toEqual({ kind: 'offline', isStored: true });
  expect(host.retry).toBeGreaterThan(0);

  host.loadFailure = undefined;
  await autosave.save();
  expect(autosave.state.kind).toBe('saved');
  expect(server.markdown).toBe('eins\n\nzwei\n');
});

test('the session of a user can end before the changes of others are loaded', async () => {
  const { autosave } = createRejected(createRequestError(401));
  await autosave.save();
  expect(autosave.state).toEqual({ kind: 'signed-out', isStored: true });
});
