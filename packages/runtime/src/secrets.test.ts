import { describe, expect, test } from 'vitest';
import { getSealPrefix, seal, unseal } from './secrets.ts';

const env = { OCTAVO_SECRET: 'a secret of some length' };
const later = { OCTAVO_SECRET: 'another secret of some length', OCTAVO_SECRET_PREVIOUS: env.OCTAVO_SECRET };
const value = { token: 'hush-hush', numbers: [1, 2], none: null };

test.each([value, 'text', '', 'é'.repeat(300_000), 0, [], {}])('decrypts what was encrypted (%#)', async (each) => {
  expect(await unseal(env, 'ins_1', await seal(env, 'ins_1', each))).toEqual(each);
});

test('the ciphertext reveals neither the value nor its owner, and is different each time', async () => {
  const [one, other] = [await seal(env, 'ins_1', value), await seal(env, 'ins_1', value)];
  expect(one).not.toContain('hush');
  expect(
    atob(
      one
        .slice(one.lastIndexOf('.') + 1)
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    ),
  ).not.toContain('hush');
  expect(one).not.toContain('ins_1');
  expect(one).not.toBe(other);
});

describe('decryption fails', () => {
  const refused = /was modified or belongs to another owner/;

  test('for a different owner', async () => {
    await expect(unseal(env, 'ins_2', await seal(env, 'ins_1', value))).rejects.toThrow(refused);
  });

  test('after any bit was changed', async () => {
    const sealed = await seal(env, 'ins_1', value);
    for (const at of [15, 30, sealed.length - 4]) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      await expect(unseal(env, 'ins_1', changed)).rejects.toThrow(refused);
    }
  });

  test('when truncated', async () => {
    const sealed = await seal(env, 'ins_1', value);
    await expect(unseal(env, 'ins_1', sealed.slice(0, 20))).rejects.toThrow(refused);
  });

  test('with an error that names no value', async () => {
    const error = await unseal(env, 'ins_2', await seal(env, 'ins_1', value)).catch(String);
    expect(error).not.toContain('hush');
  });
});

describe('after the secret was changed', () => {
  test('decrypts values of the previous secret while it is set', async () => {
    expect(await unseal(later, 'ins_1', await seal(env, 'ins_1', value))).toEqual(value);
  });

  test('encrypts with the current secret', async () => {
    const sealed = await seal(later, 'ins_1', value);
    expect(sealed.startsWith(await getSealPrefix(later))).toBe(true);
    expect(sealed.startsWith(await getSealPrefix(env))).toBe(false);
    await expect(unseal(env, 'ins_1', sealed)).rejects.toThrow('Set OCTAVO_SECRET_PREVIOUS');
  });

  test.each([
    { OCTAVO_SECRET: later.OCTAVO_SECRET },
    { ...later, OCTAVO_SECRET_PREVIOUS: 'a third one of some length' },
  ])('the error names OCTAVO_SECRET_PREVIOUS if the previous secret is missing', async (without) => {
    const sealed = await seal(env, 'ins_1', value);
    await expect(unseal(without, 'ins_1', sealed)).rejects.toThrow('Set OCTAVO_SECRET_PREVIOUS');
  });

  test.each([undefined, '', 'short'])('rejects the secret %j', async (secret) => {
    const none = secret === undefined ? {} : { OCTAVO_SECRET: secret };
    await expect(seal(none, 'ins_1', value)).rejects.toThrow('OCTAVO_SECRET must be set');
  });
});
