/** An error of the API, with its status, or 0 if no response arrived. */
interface FailedRequest {
  status: number;
  message: string;
}

export const isFailedRequest = (error: unknown): error is FailedRequest =>
  typeof error === 'object' && error !== null && typeof (error as { status?: unknown }).status === 'number';

/** Whether a request may succeed when it is repeated later. */
export const isTemporaryFailure = (error: unknown): boolean =>
  isFailedRequest(error) && (error.status === 0 || error.status === 429 || error.status >= 500);
