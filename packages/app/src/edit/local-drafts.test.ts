import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDraftKey, storeLocalDraft, takeLocalDraft } from './local-drafts.ts';

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
});

afterEach(() => vi.unstubAllGlobals());

const owner = { user: 'u1', changeRequest: 'c1', page: 'p1' };
const draft = { base: { title: 'A', markdown: 'a', revision: 'r1' }, title: 'A', markdown: 'b' };

/** Opens an editor. Returns its key, and the draft that it shows. */
function open(other: Partial<typeof owner> = {}) {
  const key = createDraftKey({ ...owner, ...other });
  return { key, shown: takeLocalDraft({ ...owner, ...other }, key) };
}

test('a draft is shown only for the user, the change request and the page it belongs to', () => {
  expect(storeLocalDraft(open().key, draft)).toBe(true);

  for (const other of [{ user: 'u2' }, { changeRequest: 'c2' }, { page: 'p2' }, { page: 'p' }])
    expect(open(other).shown).toBeUndefined();
  expect(open().shown).toEqual(draft);
  const last = open();
  expect(last.shown).toEqual(draft);
  storeLocalDraft(last.key, undefined);
  expect(localStorage).toHaveLength(0);
});

test('a tab that saves its text does not remove the draft of another tab', () => {
  const [one, other] = [open(), open()];
  storeLocalDraft(one.key, draft);
  storeLocalDraft(other.key, { ...draft, markdown: 'c' });
  storeLocalDraft(other.key, undefined);
  expect(open().shown).toEqual(draft);

  storeLocalDraft(one.key, { ...draft, markdown: 'd' });
  expect(localStorage).toHaveLength(2);
});

test('a damaged draft is ignored', () => {
  for (const text of ['{', '{}', JSON.stringify({ ...draft, base: {} })])
    localStorage.setItem(createDraftKey(owner), text);
  expect(open().shown).toBeUndefined();
  storeLocalDraft(createDraftKey(owner), draft);
  expect(open().shown).toEqual(draft);
});
