/** An expected error. Its message is one sentence for the user at the terminal, printed without a stack. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
}

export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
