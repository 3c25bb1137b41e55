/**
 * Work that is done in short steps and has a result. Callers that must not block for long pause between the steps. If a
 * step takes more than a few microseconds, it yields an estimate of its duration in microseconds.
 */
export type TreeSteps<Result> = Generator<number | undefined, Result>;

/** Runs all steps and returns the result. */
export function getResult<Result>(steps: TreeSteps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
