import { expect, test } from 'vitest';
import { chooseEntry, findSelected } from './choose-entry.ts';

interface Entry {
  id: string;
}
const [old, guide, home]: [Entry, Entry, Entry] = [{ id: 'old' }, { id: 'guide' }, { id: 'home' }];
const settle = (...entries: Entry[]) => ({ entries, isPending: false });
const wait = (...entries: Entry[]) => ({ entries, isPending: true });

test('waits while the results of the typed text are pending, even if older ones are shown', () => {
  expect(chooseEntry([wait(old), settle(home), wait()], undefined)).toBe('pending');
  expect(chooseEntry([settle(), settle(), wait(old)], undefined)).toBe('pending');
});

test('opens the first result without waiting for results after it', () => {
  expect(chooseEntry([settle(guide), settle(home), wait(old)], undefined)).toBe(guide);
  expect(chooseEntry([settle(), settle(home), wait()], undefined)).toBe(home);
});

test('opens the entry that the user has selected', () => {
  expect(chooseEntry([wait(old), settle(home)], 'home')).toBe(home);
  expect(findSelected([old, home], 'home')).toBe(1);
});

test('opens the first result if the selected entry is no longer listed', () => {
  expect(chooseEntry([settle(guide), settle(home)], 'old')).toBe(guide);
  expect(findSelected([guide, home], 'old')).toBe(0);
});

test('opens nothing if there are no results', () => {
  expect(chooseEntry([settle(), settle(), settle()], undefined)).toBeUndefined();
});
