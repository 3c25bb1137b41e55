import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawValues, holds, holdsAsync, holdsSlowly, isOfAll, seed } from './random.ts';

const slow = { numRuns: 50, fewest: 10, milliseconds: 60_000 };
const [runs, fewest] = isOfAll ? [15, 3] : [10, 2];

test('a property test that runs out of time fails if it ran too few cases', async () => {
  let isHanging = false;
  const property = fc.asyncProperty(fc.nat(), async () => {
    if (isHanging) await new Promise(() => undefined);
    isHanging = true;
  });

  await expect(holdsSlowly(property, { ...slow, milliseconds: 300 })).rejects.toThrow(
    `Only 1 of ${runs} cases were seen, at least ${fewest} are needed.`,
  );
});

test('a property test that runs out of time passes if it ran enough cases', async () => {
  let seen = 0;
  const property = fc.asyncProperty(fc.nat(), async () => {
    if (seen === fewest) await new Promise(() => undefined);
    seen += 1;
  });

  await holdsSlowly(property, { ...slow, milliseconds: 1_000 });
  expect(seen).toBe(fewest);
});

test('runs a fifth of the cases, or three tenths in the run of all tests', () => {
  let seen = 0;
  holds(
    fc.property(fc.nat(), () => {
      seen += 1;
    }),
  );
  expect(seen).toBe(isOfAll ? 30 : 20);
});

test('reports the seed of the run with a failure', async () => {
  const message = `seed: ${seed}`;
  const fails = (): void => expect(1).toBe(2);

  expect(() => holds(fc.property(fc.nat(), fails))).toThrow(message);
  await expect(holdsAsync(fc.asyncProperty(fc.nat(), async () => fails()))).rejects.toThrow(message);
  await expect(
    holdsSlowly(
      fc.asyncProperty(fc.nat(), async () => fails()),
      slow,
    ),
  ).rejects.toThrow(message);
});

test('the same seed generates the same cases', () => {
  expect(Number.isInteger(seed)).toBe(true);
  expect(drawValues(fc.string(), 20)).toEqual(drawValues(fc.string(), 20, seed));
  expect(drawValues(fc.string(), 20)).not.toEqual(drawValues(fc.string(), 20, seed + 1));
});
