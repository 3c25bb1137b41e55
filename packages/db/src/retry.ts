import { ApiError } from '@octavo/schema';
import { CommitConflict } from './commit.ts';

const maxTries = 5;

/**
 * Runs a read-then-commit again, from the read on, when its commit lost a race.
 * @throws ApiError unavailable, after five lost races
 */
export async function retryOnConflict<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
    }
  }
  throw new ApiError('unavailable', 'Too many writers at once: try again.');
}

/** Gives what the attempt does, or undefined where its commit lost a race. */
export async function unlessBeaten<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    return undefined;
  }
}
