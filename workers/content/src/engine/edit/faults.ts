import { ApiError, invalid } from '@octavo/schema';

/** A fault of one field of a change. */
export const fault = (path: string, message: string): ApiError => invalid([{ path, message }]);

/** A clash with what is there now. */
export const clash = (path: string, message: string): ApiError =>
  new ApiError('conflict', message, [{ path, message }]);
