import { describe, expect, test, vi } from 'vitest';
import { Autosave, type EditedText, type SaveState } from './autosave.ts';
import type { LocalDraft, SavedText } from './local-drafts.ts';

const createRequestError = (status: number) => Object.assign(new Error(`Status ${status}`), { status });

/** A server with one text, a browser with space for drafts, and a clock that the test moves. */
function createWorld(markdown: string, former?: LocalDraft) {
  const base: SavedText = former?.base ?? { title: 'A', markdown, revision: 'r1' };
  const world = {
    server: base,
    stored: undefined as LocalDraft | undefined,
    states: [] as SaveState['kind'][],
    shown: [] as EditedText[],
    merged: 0,
    failure: undefined as Error | undefined,
    losesResponse: false,
    beforeSend: undefined as (() => void) | undefined,
    waiting: undefined as { run: () => void; milliseconds: number } | undefined,
    sent: [] as Partial<EditedText>[],
    hasSpace: true,
  };
  const autosave: Autosave = new Autosave(
    base,
    {
      send: async (text, revision) => {
        world.sent.push(text);
        world.beforeSend?.();
        if (world.failure !== undefined) throw world.failure;
        if (revision !== world.server.revision) throw createRequestError(409);
        world.server = { ...world.server, ...text, revision: `${revision}+` };
        if (world.losesResponse) throw createRequestError(0);
        return world.server.revision;
      },
      load: async () => world.server,
      store: (draft) => {
        if (world.hasSpace) world.stored = draft;
        return world.hasSpace;
      },
      show: (text) => {
        world.shown.push(text);
        // The editor reports each change of its text.
        autosave.change(text);
      },
      onState: ({ kind }) => world.states.push(kind),
      onMerged: () => {
        world.merged += 1;
      },
      wait: (run, milliseconds) => {
        const waiting = { run, milliseconds };
        world.waiting = waiting;
        return () => {
          if (world.waiting === waiting) world.waiting = undefined;
        };
      },
    },
    former?.sent,
  );
  const write = (text: string, title = 'A') => autosave.change({ title, markdown: text });
  return { world, autosave, write };
}

describe('saving', () => {
  test('stores each change at once, and sends the last one after a pause', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('one t\n');
    write('one two\n');
    expect(world.stored?.markdown).toBe('one two\n');
    expect(world.sent).toEqual([]);
    world.waiting?.run();
    await autosave.save();

    expect(world.sent).toEqual([{ markdown: 'one two\n' }]);
    expect(world.stored).toBeUndefined();
    expect(world.states.at(-1)).toBe('saved');
  });

  test('sends only the title if only the title changed', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('one\n', 'B');
    await autosave.save();

    expect(world.sent).toEqual([{ title: 'B' }]);
  });

  test('sends nothing if a change was undone', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('two\n');
    write('one\n');
    await autosave.save();

    expect(world.sent).toEqual([]);
    expect(world.stored).toBeUndefined();
  });

  test('sends a change that is made while another one is sent', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('two\n');
    const first = autosave.save();
    write('three\n');
    await first;

    expect(world.stored?.markdown).toBe('three\n');
    expect(world.stored?.base.markdown).toBe('two\n');
    world.waiting?.run();
    await autosave.save();
    expect(world.server.markdown).toBe('three\n');
    expect(world.stored).toBeUndefined();
  });

  test('sends the text when the screen is left, and shows nothing in it any more', async () => {
    const { world, autosave, write } = createWorld('one\n\ntwo\n');
    world.server = { title: 'A', markdown: 'one\n\nzwei\n', revision: 'r2' };

    write('eins\n\ntwo\n');
    autosave.stop();
    await autosave.save();

    expect(world.server.markdown).toBe('eins\n\nzwei\n');
    expect(world.shown).toEqual([]);
    expect(world.stored).toBeUndefined();
  });

  test('sends what was written during the last attempt when the screen is left', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('two\n');
    const first = autosave.save();
    write('three\n');
    autosave.stop();
    await first;
    await vi.waitFor(() => expect(world.stored).toBeUndefined());

    expect(world.server.markdown).toBe('three\n');
  });

  test('keeps the text in the browser if it cannot be sent when the screen is left', async () => {
    const { world, autosave, write } = createWorld('one\n');
    world.failure = createRequestError(0);

    write('two\n');
    autosave.stop();
    await autosave.save();

    expect(world.stored?.markdown).toBe('two\n');
    expect(world.waiting).toBeUndefined();
  });

  test('reports that the browser storage is full, also if the text cannot be sent', async () => {
    const { world, autosave, write } = createWorld('one\n');
    world.hasSpace = false;
    write('two\n');
    expect(autosave.state).toEqual({ kind: 'unsaved', isStored: false });
    for (const [status, kind] of [[401, 'signed-out'] as const, [404, 'failed'] as const]) {
      world.failure = createRequestError(status);
      await autosave.save();
      expect(autosave.state).toMatchObject({ kind, isStored: false });
    }
  });
});

describe('a failed request', () => {
  test.each([0, 429, 503])('with status %i is repeated, and the text stays in the browser', async (status) => {
    const { world, autosave, write } = createWorld('one\n');
    world.failure = createRequestError(status);

    write('two\n');
    await autosave.save();
    expect(world.states.at(-1)).toBe('offline');
    expect(world.stored?.markdown).toBe('two\n');
    world.failure = undefined;
    world.waiting?.run();
    await autosave.save();

    expect(world.server.markdown).toBe('two\n');
    expect(world.stored).toBeUndefined();
  });

  test.each([400, 401, 403, 404, 412])('with status %i is reported; the text stays in the browser', async (status) => {
    const { world, autosave, write } = createWorld('one\n');
    world.failure = createRequestError(status);

    write('two\n');
    await autosave.save();

    const failed = { kind: 'failed', message: `Status ${status}`, isStored: true };
    expect(autosave.state).toEqual(status === 401 ? { kind: 'signed-out', isStored: true } : failed);
    expect(world.stored?.markdown).toBe('two\n');
  });

  test.each(['two\n', 'two three\n'])('that arrived without a response is no conflict: %j', async (text) => {
    const { world, autosave, write } = createWorld('one\n');
    world.losesResponse = true;

    write('two\n');
    await autosave.save();
    expect(autosave.state.kind).toBe('offline');
    world.losesResponse = false;
    write(text);
    await autosave.save();

    expect(autosave.state.kind).toBe('saved');
    expect(world.server.markdown).toBe(text);
    expect(world.merged).toBe(0);
    expect(world.stored).toBeUndefined();
  });

  test('that arrived without a response is no conflict after the tab was closed', async () => {
    const { world, autosave, write } = createWorld('one\n');
    world.losesResponse = true;
    write('two\n');
    await autosave.save();
    const draft = world.stored;

    const next = createWorld('one\n', draft);
    next.world.server = world.server;
    next.write('two three\n');
    await next.autosave.save();

    expect(next.world.server.markdown).toBe('two three\n');
    expect(next.autosave.state.kind).toBe('saved');
  });

  test('is repeated after a pause if others were always faster', async () => {
    const { world, autosave, write } = createWorld('one\n');
    let changes = 0;
    world.beforeSend = () => {
      changes += 1;
      world.server = { ...world.server, revision: `other${changes}` };
    };

    write('two\n');
    await autosave.save();
    expect(autosave.state.kind).toBe('unsaved');
    world.beforeSend = undefined;
    world.waiting?.run();
    await autosave.save();

    expect(world.server.markdown).toBe('two\n');
    expect(autosave.state.kind).toBe('saved');
  });

  test('with status 409 is reported if the revision is still the same', async () => {
    const { world, autosave, write } = createWorld('one\n');
    world.failure = createRequestError(409);

    write('two\n');
    await autosave.save();

    expect(autosave.state.kind).toBe('failed');
    expect(world.sent).toHaveLength(1);
  });
});

describe('a change by another person', () => {
  const text = 'one\n\ntwo\n\nthree\n';

  test('to other lines is merged and shown', async () => {
    const { world, autosave, write } = createWorld(text);
    world.server = { title: 'B', markdown: text.replace('three', 'drei'), revision: 'r2' };

    write(text.replace('one', 'eins'));
    await autosave.save();

    const merged = { title: 'B', markdown: 'eins\n\ntwo\n\ndrei\n' };
    expect(world.shown).toEqual([merged]);
    expect(world.server).toEqual({ ...merged, revision: 'r2+' });
    expect(world.merged).toBe(1);
    expect(world.stored).toBeUndefined();
  });

  test('is shown before anything is sent, and merged with an unsent text', async () => {
    const { world, autosave, write } = createWorld(text);
    world.server = { title: 'A', markdown: text.replace('three', 'drei'), revision: 'r2' };
    await autosave.refresh('r2');
    expect(world.shown).toEqual([{ title: 'A', markdown: 'one\n\ntwo\n\ndrei\n' }]);
    expect(autosave.state.kind).toBe('saved');

    write('eins\n\ntwo\n\ndrei\n');
    world.server = { title: 'A', markdown: 'one\n\nzwei\n\ndrei\n', revision: 'r3' };
    await autosave.refresh('r3');
    expect(world.shown.at(-1)).toEqual({ title: 'A', markdown: 'eins\n\nzwei\n\ndrei\n' });
    expect(world.sent).toEqual([]);
    await autosave.save();
    expect(world.server.markdown).toBe('eins\n\nzwei\n\ndrei\n');
    expect(world.merged).toBe(0);
  });

  test('of the revision that this tab has sent is not loaded', async () => {
    const { world, autosave, write } = createWorld(text);
    write('new\n');
    const saved = autosave.save();
    await Promise.all([saved, autosave.refresh('r1+')]);
    expect(world.shown).toEqual([]);
    expect(world.server.markdown).toBe('new\n');
  });

  test('of the title conflicts with a change of the title in this tab', async () => {
    const { world, autosave, write } = createWorld(text);
    world.server = { title: 'Theirs', markdown: text, revision: 'r2' };
    write(text, 'Mine');
    await autosave.save();
    expect(autosave.state.kind).toBe('conflict');
    await autosave.resolve('mine');
    expect(world.server.title).toBe('Mine');
  });

  test('to another page only moves the revision', async () => {
    const { world, autosave, write } = createWorld(text);
    world.server = { ...world.server, revision: 'r2' };

    write('new\n');
    await autosave.save();

    expect(world.server.markdown).toBe('new\n');
    expect(world.shown).toEqual([]);
    expect(world.merged).toBe(0);
  });

  test.each([
    ['mine', 'my two'],
    ['theirs', 'their two'],
  ] as const)('to the same lines is a conflict that ends with %s', async (keeps, expected) => {
    const { world, autosave, write } = createWorld(text);
    world.server = { title: 'A', markdown: text.replace('two', 'their two'), revision: 'r2' };

    write(text.replace('two', 'my two'));
    await autosave.save();
    expect(autosave.state.kind).toBe('conflict');
    expect(world.stored?.markdown).toContain('my two');
    write(text.replace('two', 'my two'));
    await autosave.save();
    expect(world.server.markdown).toContain('their two');

    await autosave.resolve(keeps);

    expect(world.server.markdown).toBe(text.replace('two', expected));
    expect(autosave.state.kind).toBe('saved');
    expect(world.stored).toBeUndefined();
  });
});

describe('another change of the change request', () => {
  const insertFile = (world: ReturnType<typeof createWorld>['world']) => async (revision: string | undefined) => {
    if (revision !== undefined && revision !== world.server.revision) throw createRequestError(409);
    world.server = { ...world.server, revision: `${world.server.revision}f` };
    return { revision: world.server.revision };
  };

  test('is the base of the next text, which is sent once', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('one two\n');
    await autosave.runOtherChange(insertFile(world));
    await autosave.save();

    expect(world.sent).toEqual([{ markdown: 'one two\n' }]);
    expect(world.server).toEqual({ title: 'A', markdown: 'one two\n', revision: 'r1f+' });
  });

  test('waits for a text that is being sent', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('one two\n');
    const saved = autosave.save();
    const inserted = autosave.runOtherChange(insertFile(world));
    await Promise.all([saved, inserted]);
    write('one two three\n');
    await autosave.save();

    expect(world.sent).toEqual([{ markdown: 'one two\n' }, { markdown: 'one two three\n' }]);
    expect(world.server.revision).toBe('r1+f+');
  });

  test('is made even if others have changed the text, and the texts are merged', async () => {
    const { world, autosave, write } = createWorld('one\ntwo\n');
    world.server = { title: 'A', markdown: 'one\ntwo\nthree\n', revision: 'r2' };

    write('ONE\ntwo\n');
    await autosave.runOtherChange(insertFile(world));
    await autosave.save();

    expect(world.server.markdown).toBe('ONE\ntwo\nthree\n');
  });

  test('leaves the text unsaved if it fails', async () => {
    const { world, autosave, write } = createWorld('one\n');

    write('one two\n');
    await expect(autosave.runOtherChange(() => Promise.reject(createRequestError(500)))).rejects.toThrow('Status 500');
    world.waiting?.run();
    await autosave.save();

    expect(world.server.markdown).toBe('one two\n');
  });
});
