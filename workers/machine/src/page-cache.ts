import { findRecordedSiteResponse } from '@octavo/publishing/reader';
import { InProcessWorker } from '@octavo/runtime';
import { getDatabaseState } from './database.ts';

/** Responds with a cached page. */
class PageHandler extends InProcessWorker {
  readonly #response: Response;

  constructor(response: Response) {
    super();
    this.#response = response;
  }

  fetch(): Response {
    return this.#response;
  }
}

/**
 * Returns the bindings of the gateway for a request whose response is cached, so that the machine's object is not
 * called.
 */
export function createPageCache(request: Request): { PUBLISHING: InProcessWorker } | undefined {
  const state = getDatabaseState();
  const response = state === undefined ? undefined : findRecordedSiteResponse(request, state);
  return response === undefined ? undefined : { PUBLISHING: new PageHandler(response) };
}
