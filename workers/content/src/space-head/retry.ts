import { CommitConflict } from '@octavo/db';
import { ApiError } from '@octavo/schema';

const maxTries = 5;

/** Runs a read-then-commit again when its commit lost a race, from the read on. */
export async function retryOnConflict<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; tries < maxTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
    }
  }
  throw new ApiError('unavailable', 'Too many writers at once: try again.');
}
