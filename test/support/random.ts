import fc from 'fast-check';

/** What all random tests of a run draw from, printed at its start; with it in `OCTAVO_SEED` they draw the same again. */
export const seed = Number(process.env.OCTAVO_SEED);

/** Whether this is the run of all tests, with their sizes and cases; else they are samples. */
export const isOfAll = process.env.OCTAVO_TEST === 'all';

/** In the run of all tests all of the cases, else one of each `step`: the seed and the offset decide which. */
export const sampleOf = <Case>(cases: readonly Case[], step: number, offset = 0): Case[] =>
  cases.filter((_, index) => isOfAll || (index + offset) % step === seed % step);

const sampled = (count: number): number => Math.ceil(count * (isOfAll ? 2 / 5 : 1 / 5));

interface Runs<Case> {
  numRuns?: number;
  /** Cases that are tried in every run, before the random ones. */
  always?: Case[];
}

interface SlowRuns {
  numRuns: number;
  /** A slow machine may end early, but not before it has seen as many cases. */
  fewest: number;
  milliseconds: number;
}

/**
 * Checks a property in random cases: a fifth of `numRuns`, and twice as many in the run of all tests. A failing case is
 * shrunk and reported with the seed.
 */
export const holds = <Case>(property: fc.IProperty<Case>, { numRuns = 100 }: Pick<Runs<Case>, 'numRuns'> = {}): void =>
  fc.assert(property, { seed, numRuns: sampled(numRuns) });

/** As `holds`, for a property that waits. */
export const holdsAsync = <Case>(
  property: fc.IAsyncProperty<Case>,
  { numRuns = 100, always = [] }: Runs<Case> = {},
): Promise<void> => fc.assert(property, { seed, numRuns: sampled(numRuns) + always.length, examples: always });

/** As `holdsAsync`, where a case takes seconds: none is made smaller, and time ends the search for one that fails. */
export async function holdsSlowly<Case>(
  property: fc.IAsyncProperty<Case>,
  { numRuns: all, fewest: fewestOfAll, milliseconds }: SlowRuns,
): Promise<void> {
  const [numRuns, fewest] = [sampled(all), sampled(fewestOfAll)];
  const parameters = { seed, numRuns, interruptAfterTimeLimit: milliseconds, endOnFailure: true };
  const details = await fc.check(property, parameters);
  if (details.failed && details.counterexample !== null)
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  if (details.numRuns < fewest)
    throw new Error(`Only ${details.numRuns} of ${numRuns} cases were seen, at least ${fewest} are needed.`);
}

/** Random values, the same for the same seed. */
export const drawn = <Value>(arbitrary: fc.Arbitrary<Value>, count: number, from = seed): Value[] =>
  fc.sample(arbitrary, { seed: from, numRuns: count });
