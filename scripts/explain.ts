import { PlatformError } from '@octavo/platform';

/** Ends with a sentence for what was to be expected, and with the whole error for what was not. */
export function explain(error: unknown): never {
  console.error(error instanceof PlatformError ? error.message : error);
  process.exit(1);
}
