export { ApiError, isApiError } from '@octavo/schema';
export { createClient } from './api.ts';
export { paginate } from './client.ts';
export { mapConcurrently } from './concurrency.ts';
