import fc from 'fast-check';

/** The seed of all random tests of a run. It is printed at the start; set `OCTAVO_SEED` to it to repeat a run. */
export const seed = Number(process.env.OCTAVO_SEED);

/** Whether the full test run is in progress. Otherwise sizes and cases are sampled. */
export const isOfAll = process.env.OCTAVO_TEST === 'all';

/** Returns every `step`th case, selected by the seed and `offset`. */
export const getShare = <Case>(cases: readonly Case[], step: number, offset = 0): Case[] =>
  cases.filter((_, index) => (index + offset) % step === seed % step);

/** Like `getShare`, but returns all cases in the full run. */
export const getSample = <Case>(cases: readonly Case[], step: number, offset = 0): Case[] =>
  isOfAll ? [...cases] : getShare(cases, step, offset);

const scaleRuns = (count: number): number => Math.ceil(count * (isOfAll ? 3 / 10 : 1 / 5));

interface Runs<Case> {
  numRuns?: number;
  /** Cases that run every time, before the random ones. */
  always?: Case[];
}

interface SlowRuns {
  numRuns: number;
  /** Minimum number of cases. The time limit ends a run on a slow machine only after this number of cases. */
  fewest: number;
  milliseconds: number;
}

/**
 * Checks a property with random cases: a fifth of `numRuns`, or three tenths in the full run. A failing case is shrunk
 * and reported with the seed.
 */
export const holds = <Case>(property: fc.IProperty<Case>, { numRuns = 100 }: Pick<Runs<Case>, 'numRuns'> = {}): void =>
  fc.assert(property, { seed, numRuns: scaleRuns(numRuns) });

/** Like `holds`, for an asynchronous property. */
export const holdsAsync = <Case>(
  property: fc.IAsyncProperty<Case>,
  { numRuns = 100, always = [] }: Runs<Case> = {},
): Promise<void> => fc.assert(property, { seed, numRuns: scaleRuns(numRuns) + always.length, examples: always });

/**
 * Like `holdsAsync`, for cases that take seconds: failing cases are not shrunk, and the search stops at a time limit.
 */
export async function holdsSlowly<Case>(
  property: fc.IAsyncProperty<Case>,
  { numRuns: all, fewest: fewestOfAll, milliseconds }: SlowRuns,
): Promise<void> {
  const [numRuns, fewest] = [scaleRuns(all), scaleRuns(fewestOfAll)];
  const parameters = { seed, numRuns, interruptAfterTimeLimit: milliseconds, endOnFailure: true };
  const details = await fc.check(property, parameters);
  if (details.failed && details.counterexample !== null)
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  if (details.numRuns < fewest)
    throw new Error(`Only ${details.numRuns} of ${numRuns} cases were seen, at least ${fewest} are needed.`);
}

/** Draws random values that depend only on the seed. */
export const drawValues = <Value>(arbitrary: fc.Arbitrary<Value>, count: number, from = seed): Value[] =>
  fc.sample(arbitrary, { seed: from, numRuns: count });
