export { ApiError, isApiError } from '@octavo/schema';
export { createClient } from './api.ts';
export { mapConcurrently, paginate } from './client.ts';
