import { findRecordedSiteResponse } from '@octavo/publishing/reader';
import { InProcessWorker } from '@octavo/runtime';
import { getDatabaseState } from './database.ts';

/** Responds with a cached page. */
class PageHandler extends InProcessWorker {
  readonly #answer: Response;

  constructor(answer: Response) {
    super();
    this.#answer = answer;
  }

  fetch(): Response {
    return this.#answer;
  }
}

/**
 * Returns the bindings of the gateway for a request whose response is cached, so that the machine's object is not
 * called.
 */
export function createPageCache(request: Request): { PUBLISHING: InProcessWorker } | undefined {
  const state = getDatabaseState();
  const answer = state === undefined ? undefined : findRecordedSiteResponse(request, state);
  return answer === undefined ? undefined : { PUBLISHING: new PageHandler(answer) };
}
