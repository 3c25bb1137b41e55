import type { Repository } from '@octavo/outline';

/** What was not taken as it is written. `failed` could not be brought in, `skipped` was left out on purpose. */
export type ImportProblem = Repository['problems'][number];
