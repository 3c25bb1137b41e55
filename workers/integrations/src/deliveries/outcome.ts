/** How an attempt ended. */
export interface Attempt {
  at: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
  /** The beginning of what was answered. */
  answer: string | null;
  /** How long the receiver asks us to wait, in milliseconds. */
  retryAfter: number;
  /** What came of it, where the status does not tell. */
  settled?: 'delivered' | 'refused';
}

export type Verdict = 'delivered' | 'failed' | 'refused';

/** What a receiver answers that is to be sent nothing any more. */
export const GONE = 410;

const retriedStatuses = new Set([408, 429]);

/** What a status means: 4xx are of no use to repeat, but for two. */
export function verdictOf({ status, settled }: Pick<Attempt, 'status' | 'settled'>): Verdict {
  if (settled !== undefined) return settled;
  if (status === null) return 'failed';
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 && !retriedStatuses.has(status) ? 'refused' : 'failed';
}

/** What fails before it is sent, and is tried again. */
export const failedBefore = (error: string): Attempt => ({
  ...{ at: Date.now(), milliseconds: 0, status: null, error, answer: null, retryAfter: 0 },
});

/** What is not sent, and is of no use to be tried again. */
export const unsent = (error: string): Attempt => ({ ...failedBefore(error), settled: 'refused' });
