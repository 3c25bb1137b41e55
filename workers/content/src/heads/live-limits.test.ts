import { describe, expect, test } from 'vitest';
import { chooseEnding, silentMilliseconds } from './live-limits.ts';

const now = Date.now();
const makeConnections = (count: number, { user = 'usr_other', heard = now } = {}) =>
  Array.from({ length: count }, (_, index) => ({ user, opened: now - index, heard }));

describe('the connections that end before another one is opened', () => {
  test('are the oldest of a user who has twenty', () => {
    const own = makeConnections(20, { user: 'usr_a' });
    const { replaced } = chooseEnding([...makeConnections(30), ...own], 'usr_a');
    expect(replaced).toEqual(own.slice(-1));
    expect(chooseEnding(own.slice(1), 'usr_a').replaced).toEqual([]);
  });

  test('are those without a ping, which do not count', () => {
    const silent = makeConnections(500, { heard: now - silentMilliseconds - 1000 });
    expect(chooseEnding([...silent, ...makeConnections(499)], 'usr_a')).toEqual({ silent, replaced: [] });
  });

  test('do not suffice in a space with 500 connections of others', () => {
    const refused = expect.objectContaining({ type: 'rate_limited', retryAfter: 60 });
    expect(() => chooseEnding(makeConnections(500), 'usr_a')).toThrow(refused);
  });
});
