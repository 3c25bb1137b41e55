import type { Import } from '@octavo/schema';
import { isTemporaryFailure } from '../failed-request.ts';

const pollMilliseconds = 1000;

export interface FollowOptions {
  /** Reads the progress of the import. */
  read: () => Promise<Import>;
  report: (progress: Import) => void;
  /** Ends the reports when the screen is left. The import continues on the server. */
  signal: AbortSignal;
}

/** Waits until an import has ended, and reports its progress. Reads that fail for a moment are repeated. */
export async function followImport({ read, report, signal }: FollowOptions): Promise<void> {
  while (!signal.aborted) {
    const progress = await read().catch((error: unknown) => {
      if (!isTemporaryFailure(error)) throw error;
    });
    if (signal.aborted) return;
    if (progress !== undefined) report(progress);
    if (progress !== undefined && progress.status !== 'running') return;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}
