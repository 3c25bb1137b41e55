import { afterEach, expect, test, vi } from 'vitest';
import { readLocalDraft, storeLocalDraft } from './local-drafts.ts';

afterEach(() => vi.unstubAllGlobals());

function stubStorage(): void {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
}

const draft = { base: { title: 'A', markdown: 'a', revision: 'r1' }, title: 'A', markdown: 'b' };

test('a draft is read only for the user, the change request and the page it belongs to', () => {
  stubStorage();
  const owner = { user: 'u1', changeRequest: 'c1', page: 'p1' };

  expect(storeLocalDraft(owner, draft)).toBe(true);

  expect(readLocalDraft(owner)).toEqual(draft);
  expect(readLocalDraft({ ...owner, user: 'u2' })).toBeUndefined();
  expect(readLocalDraft({ ...owner, changeRequest: 'c2' })).toBeUndefined();
  expect(readLocalDraft({ ...owner, page: 'p2' })).toBeUndefined();
  storeLocalDraft(owner, undefined);
  expect(readLocalDraft(owner)).toBeUndefined();
});

test('a damaged draft is ignored', () => {
  stubStorage();
  const owner = { user: 'u1', changeRequest: 'c1', page: 'p1' };

  for (const text of ['{', '{}', JSON.stringify({ ...draft, base: {} })]) {
    localStorage.setItem('octavo-draft:u1:c1:p1', text);
    expect(readLocalDraft(owner)).toBeUndefined();
  }
});
